import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { performance } from 'node:perf_hooks'

/** Keeps an event loop awake while answers are on their way. */
export interface Vigil {
  /** A request is on its way. */
  onSend(): void
  /** A socket had bytes: this turn of the loop is one of work. */
  onRead(): void
  /** For how long, so far, the loop was awake with nothing to do: idle time that the loop does not count itself. */
  idleMs(): number
}

/** So long is nothing looked at between two polls: what a turn of the loop costs, it costs for reading no sooner. */
const REST_MS = 0.02
/** How often it is asked whether the machine has a core to spare. */
const ASK_MS = 1_000

/**
 * A thread that sleeps until a socket has bytes is woken 0.1 to 0.3 ms late, on a virtual machine now and then by several, for its core
 * sleeps too. So where a core has nothing else to do, the loop goes round without sleeping (busy polling) as long as there are `active`
 * requests. `isSpare` says whether it may.
 *
 *     asleep:  ────────────────────▏token      ▕ read
 *     awake:   ─·─·─·─·─·─·─·─·─·─·▏token▕ read
 */
export function createVigil(active: () => number, isSpare: () => boolean): Vigil {
  let isAwake = false
  let hasRead = false
  let turnMs = 0 // when this turn began
  let askMs = 0 // when to ask again
  let idleMs = 0

  const turn = (): void => {
    const nowMs = performance.now()
    if (!hasRead) {
      idleMs += nowMs - turnMs
      while (performance.now() < nowMs + REST_MS);
    }
    turnMs = nowMs
    hasRead = false
    if (nowMs >= askMs) {
      askMs = nowMs + ASK_MS
      isAwake = isSpare()
    }
    isAwake &&= active() > 0
    if (isAwake) setImmediate(turn)
  }

  return {
    onSend() {
      if (isAwake) return
      const nowMs = performance.now()
      if (nowMs < askMs) return
      askMs = nowMs + ASK_MS
      if (!isSpare()) return
      isAwake = true
      turnMs = nowMs
      setImmediate(turn)
    },
    onRead() {
      hasRead = true
    },
    idleMs: () => idleMs,
  }
}

/** Others than this process use so much, at most, of the cores beside one. */
const MOST_USED = 0.6
const TICKS_PER_S = 100
/** Ticks are too coarse for less. */
const LEAST_S = 0.3

/**
 * Whether one core of this machine could be kept busy at nobody's cost, judged by what others used since it was last asked: not the first
 * time, not on one core, and not where a quota counts what is used. Only of Linux is it known.
 */
export function createSpareCore(): () => boolean {
  const cores = availableParallelism()
  if (cores < 2 || hasQuota()) return () => false
  let before = usage()
  return () => {
    const now = usage()
    if (now.atS - before.atS < LEAST_S) return false
    const used = (now.allS - before.allS - (now.ownS - before.ownS)) / (now.atS - before.atS)
    before = now
    return used <= MOST_USED * (cores - 1)
  }
}

interface Usage {
  readonly atS: number
  readonly ownS: number
  /** Of all processes. NaN where it is not known. */
  readonly allS: number
}

function usage(): Usage {
  const { user, system } = process.cpuUsage()
  return { atS: performance.now() / 1e3, ownS: (user + system) / 1e6, allS: busySeconds(read('/proc/stat')) }
}

/** `cpu  user nice system idle iowait irq softirq steal …`, in ticks since the start. */
function busySeconds(stat: string): number {
  const [user = Number.NaN, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = stat
    .slice(0, stat.indexOf('\n'))
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_S
}

/** cgroups, version 2 and 1. */
function hasQuota(): boolean {
  const [v2 = 'max'] = read('/sys/fs/cgroup/cpu.max').split(' ')
  const v1 = Number(read('/sys/fs/cgroup/cpu/cpu.cfs_quota_us'))
  return (v2 !== '' && v2 !== 'max') || v1 > 0
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
