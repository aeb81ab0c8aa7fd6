/** Where the figures were taken, and who else was on the machine meanwhile. Linux: it reads /proc. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { compiled } from './compiled.ts'

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGB: number
  readonly kernel: string
  readonly virtual: boolean
  readonly node: string
  readonly undici: string
  readonly twospeed: string
  readonly compiler: string
}

const packageOf = (path: string): { version: string } =>
  JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as { version: string }

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    virtual: /^flags.*\bhypervisor\b/m.test(readFileSync('/proc/cpuinfo', 'utf8')),
    node: process.versions.node,
    undici: packageOf('../node_modules/undici/package.json').version,
    twospeed: packageOf('../package.json').version,
    compiler: execFileSync('cc', ['--version'], { encoding: 'utf8' }).split('\n')[0] ?? 'unknown',
  }
}

const TICKS_PER_SECOND = 100

/** User and system time of a process that still runs. */
export function cpuSecondsOf(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** The memory that a process holds while it still runs, and the most that it has held. */
export function rssMBOf(pid: number | undefined): { readonly now?: number; readonly peak?: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string): number | undefined => {
    const match = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)
    return match === null ? undefined : Number(match[1]) / 1024
  }
  const [now, peak] = [read('VmRSS'), read('VmHWM')]
  return { ...(now !== undefined && { now }), ...(peak !== undefined && { peak }) }
}

/** CPU seconds that all programs together have used since boot, and those that the host took away. */
function machineCpuSeconds(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = readFileSync('/proc/stat', 'utf8')
    .replace(/\n.*/s, '')
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND
}

/** Measures, in cores, what others used from now until it is asked. `ours`: CPU seconds of our own children meanwhile. */
export function watchOthers(): (ours: number) => number {
  const startS = performance.now() / 1000
  const before = machineCpuSeconds()
  const own = process.cpuUsage()
  return (ours) => {
    const { user, system } = process.cpuUsage(own)
    const others = machineCpuSeconds() - before - ours - (user + system) / 1e6
    return Math.max(0, others) / (performance.now() / 1000 - startS)
  }
}

/** How fast a core is just now, in millions of rounds of a fixed loop a second: a host that is shared gives more or less of itself. */
export const coreSpeed = (core: number): number =>
  Number(execFileSync('taskset', ['-c', String(core), compiled('speed')], { encoding: 'utf8' }))
