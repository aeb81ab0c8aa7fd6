import { readdirSync } from 'node:fs'
import { setPriority } from 'node:os'
import { setFlagsFromString } from 'node:v8'

/** The least that Linux knows. */
const LOWEST_PRIORITY = 19

/**
 * From now on the threads with which V8 compiles and collects beside this one give way to it: where cores are few they hold up whole
 * bursts of reads by several ms. Linux only, where a thread has a priority of its own; no right is needed to lower it. For a process that
 * makes no other threads of the same start: those that libuv starts later would be its children.
 */
export function calmHelperThreads(): void {
  if (process.platform !== 'linux') return
  // Otherwise this thread waits, in each of its own collections, for helpers that are not let run.
  setFlagsFromString('--no-parallel-scavenge')
  try {
    for (const thread of readdirSync('/proc/self/task')) {
      if (Number(thread) !== process.pid) setPriority(Number(thread), LOWEST_PRIORITY)
    }
  } catch {
    // A thread that has ended meanwhile, or a system that does not show them: all stays as it was.
  }
}
