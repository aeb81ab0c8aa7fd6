/**
 * Every error a user can see: a stable code, the exit status it ends a command with, and what it means. `docs/reference/errors.md` is
 * generated from this table. A retired code is never used again.
 *
 * Exit: 1 the objective cannot be held · 2 wrong use, or a configuration that cannot exist · 3 the target failed · 70 a bug of ours.
 */
const TABLE = {
  UNKNOWN_COMMAND: { exit: 2, means: 'No command of that name.' },
  UNKNOWN_FLAG: { exit: 2, means: 'The command has no such flag.' },
  DUPLICATE_FLAG: { exit: 2, means: 'A flag that takes one value was given twice.' },
  MISSING_VALUE: { exit: 2, means: 'A flag or an argument lacks its value.' },
  INVALID_VALUE: { exit: 2, means: 'A value is not of the form that its flag, key or column takes.' },
  CONFLICTING_FLAGS: { exit: 2, means: 'Flags that mean nothing together.' },
  INVALID_CONFIG: { exit: 2, means: 'The --config file has an unknown key or a value of the wrong form.' },
  FILE_NOT_READABLE: { exit: 2, means: 'A file that was named cannot be read.' },
  FILE_NOT_WRITABLE: { exit: 2, means: 'A file or folder cannot be written.' },
  OUT_EXISTS: { exit: 2, means: 'The folder named by --out is there already; a run is never overwritten.' },
  UNKNOWN_SCHEMA: { exit: 2, means: 'The run folder was written by a version that this one does not know.' },
  INVALID_RUN: { exit: 2, means: 'The run folder or one of its files is not what a run holds.' },
  INVALID_POINTS: {
    exit: 2,
    means:
      'The points file lacks a column, has an unknown one, a row is not of numbers, or its figures contradict each other.',
  },
  INVALID_WORK: {
    exit: 2,
    means: 'A file of lengths, prompts or a trace has lines that cannot be sent as they stand.',
  },
  MODEL_REQUIRED: { exit: 2, means: 'The target serves several models, or does not list them: --model must name one.' },
  CANNOT_LISTEN: { exit: 2, means: 'The server cannot have the port or the address that was asked for.' },
  TARGET_UNREACHABLE: { exit: 3, means: 'No connection to the target could be made.' },
  TARGET_TLS: { exit: 3, means: 'The TLS handshake with the target failed, or its certificate is not trusted.' },
  TARGET_UNAUTHORIZED: { exit: 3, means: 'The target refuses the key, or wants one (401, 403).' },
  TARGET_REFUSED: { exit: 3, means: 'The target answers but refuses such a request (another 3xx or 4xx).' },
  TARGET_FAILED: {
    exit: 3,
    means: 'The target fails: an error of its own, too many requests, or an answer that breaks off.',
  },
  MODEL_NOT_FOUND: { exit: 3, means: 'The target does not serve the model that was named.' },
  NOT_STREAMING: { exit: 3, means: 'The answer is not an event stream; without one there is no pace to measure.' },
  NOT_HTTP: { exit: 3, means: 'Something answers at the address, but not in HTTP/1.1.' },
  LIMIT_IGNORED: { exit: 3, means: 'The target goes on far beyond the length of answer asked for.' },
  NO_ANSWER: { exit: 3, means: 'No token came: a limit passed, or the answer was empty.' },
  NO_POINTS: { exit: 2, means: 'Nothing was measured that a choice could be made from.' },
  UNKNOWN_MODEL: { exit: 2, means: 'The catalogue has no model of that name; the message gives the nearest.' },
  UNKNOWN_GPU: { exit: 2, means: 'The catalogue has no accelerator of that name; the message gives the nearest.' },
  INVALID_CATALOGUE: { exit: 2, means: 'The --catalogue file or a config.json does not describe what it should.' },
  IMPOSSIBLE_CONFIGURATION: { exit: 2, means: 'Model, parallelism, precision and GPU do not go together.' },
  DOES_NOT_FIT: { exit: 2, means: 'Weights and KV cache need more memory than the GPUs have.' },
  NEVER_FITS: {
    exit: 2,
    means: 'A simulated request is longer than the KV cache of any engine; it could wait for ever.',
  },
  NO_POINT_HOLDS: { exit: 1, means: 'No load holds the objective; the message says how near one can get.' },
  LLAMA_NOT_INSTALLED: { exit: 2, means: 'The real engine needs the package node-llama-cpp, which is not installed.' },
  LLAMA_UNAVAILABLE: {
    exit: 2,
    means: 'llama.cpp cannot run on this machine: no binary for it, or one that does not load.',
  },
  MODEL_NOT_LOADABLE: { exit: 2, means: 'llama.cpp cannot load the model file, or has not the memory for it.' },
  SERVER_NOT_STARTED: { exit: 2, means: 'The reference server of the main job did not start.' },
  BUG: { exit: 70, means: 'An error of twospeed itself.' },
} as const

export type ErrorCode = keyof typeof TABLE

export const ERRORS: Readonly<Record<ErrorCode, { readonly exit: 1 | 2 | 3 | 70; readonly means: string }>> = TABLE

/** An expected failure on its way to the user: `CODE: message`, then the hint. */
export class TwospeedError extends Error {
  readonly code: ErrorCode
  readonly hint: string
  constructor(code: ErrorCode, message: string, hint: string) {
    super(message)
    this.name = 'TwospeedError'
    this.code = code
    this.hint = hint
  }
  get exit(): number {
    return ERRORS[this.code].exit
  }
}
