import { expect, it } from 'vitest'
import type { ProgressLine } from '../../src/cli/progress.ts'
import { tell } from '../../src/cli/run-status.ts'
import type { Load } from '../../src/core/index.ts'
import { loadOf } from '../../src/report/load.ts'

function said(progress: Parameters<typeof tell>[1]): string {
  let text = ''
  const line: ProgressLine = {
    status: (now) => {
      text = now
    },
    say: (now) => {
      text = now
    },
    close: () => {},
  }
  tell(line, progress)
  return text
}

const point = {
  kind: 'point',
  phase: 'window',
  elapsedS: 12.2,
  ofS: 30,
  inFlight: 7,
  ended: 96,
  failed: 0,
  dropped: 0,
} as const

const users: Load = { kind: 'concurrency', value: 8 }
const rate: Load = { kind: 'rate', value: 5 }
const trace: Load = { kind: 'trace', value: 1.5 }

it('a run tells its load, and in an open loop how many are in flight and how many were never sent', () => {
  expect(said({ ...point, load: users })).toBe('8 users · measuring 12 of 30 s · 96 requests')
  expect(said({ ...point, load: rate })).toBe('5/s · measuring 12 of 30 s · 7 in flight · 96 requests')
  expect(said({ ...point, load: trace, failed: 2, dropped: 3 })).toContain('trace ×1.5 · ')
  expect(said({ ...point, load: trace, failed: 2, dropped: 3 })).toContain(' · 2 failed · 3 dropped')
})

it('a point that is done is told with its reasons', () => {
  const done = { kind: 'pointDone', load: rate, outputTokensPerSecond: 83.24, reasons: ['generatorLate'] } as const
  expect(said(done)).toBe('5/s: 83.2 tok/s (generator late)')
})

it('a load in a table says what it is, which pause its users make, and which repeat it is', () => {
  expect(loadOf({ load: users })).toBe('8')
  expect(loadOf({ load: { ...users, thinkS: 2 } })).toBe('8, think 2 s')
  expect(loadOf({ load: rate, repeat: 1 })).toBe('5/s #2')
  expect(loadOf({ load: trace })).toBe('trace ×1.5')
})
