/** Child processes, each on a core of its own where that is asked, and what they cost. */
import { spawn, spawnSync } from 'node:child_process'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { cpuSecondsOf, rssMBOf } from './machine.ts'

export const CLIENT_CORE = 0
export const SERVER_CORE = 1

/** Elsewhere than on Linux the system places them. */
const canPin = cpus().length > 1 && spawnSync('taskset', ['--version']).status === 0

const WATCH_MS = 250
const MAX_COMPLAINT = 4000

export interface Ended {
  readonly output: string
  /** CPU time and the most memory held, as last seen while it lived. */
  readonly cpuS: number
  readonly peakRssMB: number
  /** What it held, every quarter of a second. */
  readonly rssMB: readonly number[]
}

export interface Running {
  /** The first line that it prints. */
  firstLine(): Promise<string>
  /** Ends it by SIGTERM. */
  stop(): Promise<Ended>
}

/** A Node program, its file relative to this folder. */
export const node = (file: string, ...args: readonly (string | number)[]): readonly string[] => [
  process.execPath,
  fileURLToPath(new URL(file, import.meta.url)),
  ...args.map(String),
]

export const twospeed = (...args: readonly (string | number)[]): readonly string[] =>
  node('../dist/cli/main.js', ...args)

interface Child extends Running {
  /** Rejects where it ended otherwise than with 0, unless it was stopped. */
  readonly ended: Promise<Ended>
}

export const startPinned = (core: number, command: readonly string[]): Child =>
  start(canPin ? ['taskset', '-c', String(core), ...command] : command)

function start(command: readonly string[]): Child {
  const [program = '', ...args] = command
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let complaint = ''
  let cpuS = 0
  let peakRssMB = 0
  const rssMB: number[] = []
  let isStopping = false
  const kill = (): boolean => child.kill('SIGKILL')
  process.once('exit', kill)
  const watch = setInterval(() => {
    try {
      cpuS = cpuSecondsOf(child.pid)
      const { now, peak = peakRssMB } = rssMBOf(child.pid)
      peakRssMB = peak
      if (now !== undefined) rssMB.push(now)
    } catch {
      clearInterval(watch) // it has just ended
    }
  }, WATCH_MS)
  child.stderr.on('data', (bytes: Buffer) => {
    complaint = (complaint + bytes.toString()).slice(-MAX_COMPLAINT)
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      clearInterval(watch)
      process.off('exit', kill)
      if (code === 0 || isStopping) resolve({ output, cpuS, peakRssMB, rssMB })
      else
        reject(
          new Error(`${command.join(' ')} ended with ${code ?? signal}: ${complaint}${output.slice(-MAX_COMPLAINT)}`),
        )
    })
  })
  const printed = new Promise<string>((resolve) => {
    child.stdout.on('data', (bytes: Buffer) => {
      output += bytes.toString()
      if (output.includes('\n')) resolve(output.slice(0, output.indexOf('\n')))
    })
  })
  const firstLine = async (): Promise<string> => {
    const first = await Promise.race([printed, ended])
    if (typeof first !== 'string') throw new Error(`${command.join(' ')} ended without a word: ${complaint}`)
    return first
  }
  return {
    ended,
    firstLine,
    stop() {
      isStopping = true
      child.kill('SIGTERM')
      return ended
    },
  }
}

/** On whatever cores there are, until it is stopped. */
export const startAnywhere = (command: readonly string[]): Running => start(command)

/** On whatever cores there are. */
export const run = (command: readonly string[]): Promise<Ended> => start(command).ended

export const runPinned = (core: number, command: readonly string[]): Promise<Ended> => startPinned(core, command).ended
