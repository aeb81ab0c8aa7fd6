/** What V8's profiler found in the threads of a process: `node --cpu-prof` leaves one file a thread. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

export interface HotFunction {
  readonly name: string
  /** Of the time in which any thread was busy. */
  readonly share: number
}

const SHOWN = 15
const NOT_BUSY: ReadonlySet<string> = new Set(['(idle)', '(root)'])

/** The functions in which the threads together spent the most time of their own. */
export function topOfProfiles(folder: string): readonly HotFunction[] {
  const spentUs = new Map<string, number>()
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))) {
    const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile
    const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
    samples.forEach((id, i) => {
      const name = names.get(id) ?? '(unknown)'
      if (!NOT_BUSY.has(name)) spentUs.set(name, (spentUs.get(name) ?? 0) + (timeDeltas[i] ?? 0))
    })
  }
  const busyUs = [...spentUs.values()].reduce((sum, us) => sum + us, 0)
  return [...spentUs]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, SHOWN)
    .map(([name, us]) => ({ name, share: us / busyUs }))
}

function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  const name = functionName === '' ? '(anonymous)' : functionName
  return url === '' ? name : `${name} ${basename(url)}:${lineNumber + 1}`
}
