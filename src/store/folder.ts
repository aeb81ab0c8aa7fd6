import { join } from 'node:path'
import { TwospeedError } from '../core/index.ts'

/** The two files of a run folder. */
export const runFile = (dir: string): string => join(dir, 'run.json')
export const requestsFile = (dir: string): string => join(dir, 'requests.jsonl.gz')

/** Why the system refused, as `no space left on device` rather than a stack. */
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export const notWritable = (path: string, error: unknown): TwospeedError =>
  new TwospeedError(
    'FILE_NOT_WRITABLE',
    `${path} cannot be written: ${reasonOf(error)}.`,
    'Make room or choose another place with --out; what was written before can be read with `twospeed report`.',
  )

export const notReadable = (path: string, error: unknown): TwospeedError =>
  new TwospeedError(
    'FILE_NOT_READABLE',
    `${path} cannot be read: ${reasonOf(error)}.`,
    'Name a run folder: it holds run.json and requests.jsonl.gz, as `twospeed measure --out` writes them.',
  )

/** The code of a system error, such as `EEXIST`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
