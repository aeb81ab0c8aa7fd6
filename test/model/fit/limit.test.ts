import { describe, expect, it } from 'vitest'
import { serverLimitOf } from '../../../src/model/fit/limit.ts'
import type { LoadPoint } from '../../../src/model/index.ts'

const points = (rows: readonly (readonly [load: number, batch: number, ttftMs?: number])[]): readonly LoadPoint[] =>
  rows.map(([load, batch, ttftMs], i) => ({
    members: [i],
    load,
    batch,
    stepS: 0.01,
    outputTokensPerSecond: batch / 0.01,
    ...(ttftMs !== undefined && { ttftMs }),
  }))

describe('serverLimitOf', () => {
  it('finds four slots under a load of sixteen', () => {
    const limit = serverLimitOf(
      points([
        [1, 0.97, 20],
        [2, 1.9, 22],
        [4, 3.8, 25],
        [8, 3.9, 400],
        [16, 3.9, 1300],
      ]),
    )
    expect(limit).toMatchObject({ batch: 3.9, load: 4 })
    expect(limit?.beyond.map((point) => point.load)).toEqual([8, 16])
  })

  it('finds a limit between two loads, and the load at which it is reached', () => {
    const limit = serverLimitOf(
      points([
        [2, 2, 20],
        [4, 4, 22],
        [8, 5, 300],
        [16, 5, 1200],
      ]),
    )
    expect(limit).toMatchObject({ batch: 5, load: 5 })
    expect(limit?.beyond.map((point) => point.load)).toEqual([16])
  })

  it('does not lie above a measured load that nearly fills the server, but does above one that does not', () => {
    const below = [
      [8, 7.7, 20],
      [16, 15.4, 22],
    ] as const
    // The share in prefill at these loads would put it at 33.
    const past = [
      [48, 31.8, 900],
      [96, 31.8, 3000],
    ] as const
    expect(serverLimitOf(points([...below, [32, 31.2, 25], ...past]))).toMatchObject({ batch: 31.8, load: 32 })
    expect(serverLimitOf(points([...below, ...past]))).toMatchObject({ batch: 31.8, load: 33 })
  })

  it('finds a server that takes one at a time', () => {
    expect(
      serverLimitOf(
        points([
          [1, 0.9, 20],
          [2, 0.98, 900],
          [4, 0.98, 2800],
        ]),
      ),
    ).toMatchObject({ batch: 0.98, load: 1 })
  })

  it.each([
    [
      'a batch that grows, though TTFT grows with it',
      [
        [1, 1, 20],
        [2, 2, 40],
        [4, 4, 80],
        [8, 8, 160],
      ],
    ],
    [
      'a batch that stays while nobody waits: a client that does not send',
      [
        [4, 4, 20],
        [8, 4, 21],
        [16, 4, 20],
      ],
    ],
    [
      'points that do not tell TTFT',
      [
        [4, 4],
        [8, 4],
        [16, 4],
      ],
    ],
    ['one point', [[4, 4, 20]]],
    ['no point', []],
  ] as const)('sees none in %s', (_, rows) => {
    expect(serverLimitOf(points(rows))).toBeUndefined()
  })
})
