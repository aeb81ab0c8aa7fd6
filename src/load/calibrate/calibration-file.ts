import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { TwospeedError } from '../../core/index.ts'
import { VERSION } from '../version.ts'
import { CALIBRATION_SCHEMA, type Calibration, type Machine } from './calibration.ts'

export const thisMachine = (): Machine => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  node: process.version,
  twospeed: VERSION,
})

/** Each machine its own file: a home may be shared by several. */
export function calibrationFile(machine: Machine = thisMachine()): string {
  const key = createHash('sha256').update(JSON.stringify(machine)).digest('hex').slice(0, 12)
  return join(cacheFolder(), `calibration-${key}.json`)
}

function cacheFolder(): string {
  const { TWOSPEED_CACHE, XDG_CACHE_HOME, LOCALAPPDATA } = process.env
  if (TWOSPEED_CACHE !== undefined) return TWOSPEED_CACHE
  if (process.platform === 'win32' && LOCALAPPDATA !== undefined) return join(LOCALAPPDATA, 'twospeed')
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'twospeed')
  return join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'twospeed')
}

/** That of this machine; undefined where there is none, or none that this version can read. */
export function readCalibration(): Calibration | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(calibrationFile(), 'utf8'))
    return isCalibration(read) ? read : undefined
  } catch {
    return undefined
  }
}

function isCalibration(value: unknown): value is Calibration {
  const { schema, loads, trusted } = (value ?? {}) as Partial<Calibration>
  return (
    schema === CALIBRATION_SCHEMA &&
    Array.isArray(loads) &&
    Array.isArray(trusted) &&
    [...loads, ...trusted].every(
      (one) => Number.isFinite(one?.workers) && one.streams >= 0 && one.eventsPerSecond >= 0,
    ) &&
    loads.every((load) => load.ttftErrorMs?.p99 >= 0 && load.itlErrorMs?.p99 >= 0)
  )
}

/** Throws FILE_NOT_WRITABLE. Returns where it stands now. */
export function storeCalibration(calibration: Calibration): string {
  const path = calibrationFile(calibration.machine)
  const partial = `${path}.${process.pid}`
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(partial, `${JSON.stringify(calibration, null, 2)}\n`)
    renameSync(partial, path)
  } catch (error) {
    if (existsSync(partial)) rmSync(partial)
    const why = error instanceof Error ? error.message : String(error)
    throw new TwospeedError('FILE_NOT_WRITABLE', `The calibration cannot be stored: ${why}`, 'Make room for it.')
  }
  return path
}
