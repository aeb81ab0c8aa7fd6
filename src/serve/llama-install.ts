import type { Llama } from 'node-llama-cpp'
import { TwospeedError } from '../core/index.ts'

/** The version whose inside `llama-binding` knows. */
const VERSION = '3.21.1'
const INSTALL = `npm install node-llama-cpp@${VERSION}`

/** Where node-llama-cpp publishes a binary, and the C library that the one for x64 was built against. */
const PLATFORMS = [
  'linux-x64',
  'linux-arm64',
  'linux-arm',
  'linux-riscv64',
  'darwin-arm64',
  'darwin-x64',
  'win32-x64',
  'win32-arm64',
]
const GLIBC = '2.34'

const KEPT = 50

export type NodeLlamaCpp = typeof import('node-llama-cpp')

export async function importNodeLlamaCpp(): Promise<NodeLlamaCpp> {
  try {
    return await import('node-llama-cpp')
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    if (!missing) throw unavailable(error instanceof Error ? error.message : String(error))
    throw new TwospeedError(
      'LLAMA_NOT_INSTALLED',
      'the real engine needs the package node-llama-cpp, which is not installed',
      `Run: ${INSTALL}. Or take --engine simulated.`,
    )
  }
}

/** The library and what it last complained of, newest at the end. It is one for the whole process, as its log is. */
export interface LoadedLlama {
  readonly llama: Llama
  readonly complaints: string[]
}

let loaded: Promise<LoadedLlama> | undefined

export function loadLlama(library: NodeLlamaCpp): Promise<LoadedLlama> {
  loaded ??= load(library)
  return loaded
}

/** Only the binary that npm installed: nothing is built, nothing fetched. Apple silicon has one with Metal only; no layer goes there. */
async function load(library: NodeLlamaCpp): Promise<LoadedLlama> {
  const { platform, arch } = process
  const complaints: string[] = []
  try {
    const llama = await library.getLlama({
      build: 'never',
      skipDownload: true,
      progressLogs: false,
      gpu: platform === 'darwin' && arch === 'arm64' ? 'metal' : false,
      maxThreads: 0,
      logLevel: library.LlamaLogLevel.error,
      logger(_level, message) {
        complaints.push(message.trim())
        if (complaints.length > KEPT) complaints.shift()
      },
    })
    return { llama, complaints }
  } catch (error) {
    throw unavailable(whyNot(error instanceof Error ? error.message : String(error)))
  }
}

export function unavailable(why: string): TwospeedError {
  return new TwospeedError('LLAMA_UNAVAILABLE', `llama.cpp cannot run here: ${why}`, 'Take --engine simulated.')
}

function whyNot(message: string): string {
  const here = `${process.platform}-${process.arch}`
  if (!PLATFORMS.includes(here)) return `there is no binary for ${here}`
  if (process.platform === 'linux') {
    const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
    const glibc = report.header?.glibcVersionRuntime
    if (glibc === undefined) return 'its binaries need glibc, and this system has another C library (musl)'
    if (glibc.localeCompare(GLIBC, 'en', { numeric: true }) < 0)
      return `its binaries need glibc ${GLIBC}; here it is ${glibc}`
  }
  return message === 'NoBinaryFoundError'
    ? `the package for ${here} was not installed with node-llama-cpp; ${INSTALL}`
    : message
}
