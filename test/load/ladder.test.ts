import { describe, expect, it } from 'vitest'
import { nextLoad, type Rung } from '../../src/load/ladder.ts'

/** Climbs a server whose output at each load is given; the loads tried and why it ended. */
function climb(outputOf: (concurrency: number) => number, highest?: number) {
  const rungs: Rung[] = []
  for (;;) {
    const next = nextLoad(undefined, rungs, highest)
    if (next.kind === 'end') return { loads: rungs.map(({ load }) => load.value), why: next.why }
    rungs.push({ load: next.load, outputTokensPerSecond: outputOf(next.load.value) })
  }
}

describe('the next load', () => {
  it('is the next of those asked for, whatever they brought', () => {
    const [four, two] = [4, 2].map((value) => ({ kind: 'concurrency', value }) as const)
    const measured = [{ load: four!, outputTokensPerSecond: 0 }]
    expect(nextLoad([four!, two!, two!], measured)).toEqual({ kind: 'load', load: two })
    expect(nextLoad([four!], measured)).toEqual({ kind: 'end' })
  })

  it('doubles until output gains under 3 %', () => {
    // T(B) = a + b·B: output B/T saturates at 1/b.
    const { loads, why } = climb((b) => b / (0.005 + 0.00025 * b))
    expect(loads).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024])
    expect(why).toContain('1024 users got 1.9 % more output than 512')
  })

  it('stops where a server caps its batch, where output falls, and where nothing comes', () => {
    expect(climb((b) => Math.min(b, 4) * 100).loads).toEqual([1, 2, 4, 8])
    expect(climb((b) => 1000 / b).loads).toEqual([1, 2])
    expect(climb(() => 0)).toEqual({ loads: [1, 2], why: expect.stringContaining('no more output') })
  })

  it('stops at the highest load, and says so', () => {
    const { loads, why } = climb((b) => b)
    expect(loads.at(-1)).toBe(4096)
    expect(why).toContain('4096 is the highest')
    expect(climb((b) => b, 20).loads.at(-1)).toBe(16)
  })
})
