import { readFileSync } from 'node:fs'

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }

/** Of twospeed, as a run and a calibration name it. */
export const VERSION: string = manifest.version
