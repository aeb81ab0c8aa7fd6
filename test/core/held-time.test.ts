import fc from 'fast-check'
import { expect, test } from 'vitest'
import { heldTime } from '../../src/core/held-time.ts'
import { streamOf } from '../../src/core/stream.ts'
import { recordOf } from './records.ts'

const held = (gapsUs: readonly number[], floor: number, tokensPerEvent?: readonly number[]) => {
  const record = recordOf({
    gapsUs,
    ...(tokensPerEvent && { tokensPerEvent, outputTokens: tokensPerEvent.reduce((sum, tokens) => sum + tokens, 0) }),
  })
  const stream = streamOf(record)
  if (stream === undefined) throw new Error('the record has tokens')
  return heldTime(stream, floor)
}

/** The definition at each millisecond: the tokens in (t − 1 s, t], for t from the first token + 1 s to the last. */
function plainHeldMs(gapsMs: readonly number[], floor: number, tokens: readonly number[]): number {
  const times = [0]
  for (const gap of gapsMs) times.push((times.at(-1) ?? 0) + gap)
  const last = times.at(-1) ?? 0
  let ms = 0
  for (let t = 1000; t < last; t++) {
    const inside = times.reduce((sum, time, i) => (time > t - 1000 && time <= t ? sum + (tokens[i] ?? 0) : sum), 0)
    if (inside >= floor) ms += 1
  }
  return ms
}

test('a steady stream holds its own pace all the time and no more', () => {
  const gapsUs = Array.from({ length: 100 }, () => 100_000)
  expect(held(gapsUs, 10)).toEqual({ judgedUs: 9_000_000, heldUs: 9_000_000 })
  expect(held(gapsUs, 11)).toEqual({ judgedUs: 9_000_000, heldUs: 0 })
})

test('a stream shorter than a second gives nothing to judge', () => {
  expect(held([100_000, 100_000], 5)).toEqual({ judgedUs: 0, heldUs: 0 })
  expect(held([], 5)).toEqual({ judgedUs: 0, heldUs: 0 })
  expect(held([1_000_000], 1)).toEqual({ judgedUs: 0, heldUs: 0 })
})

test('the walk agrees with the definition taken millisecond by millisecond', () => {
  const gap = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 800, max: 1500 }))
  const stream = fc.array(gap, { minLength: 1, maxLength: 20 }).chain((gaps) =>
    fc.tuple(
      fc.constant(gaps),
      fc
        .array(fc.integer({ min: 0, max: 3 }), { minLength: gaps.length + 1, maxLength: gaps.length + 1 })
        .filter((tokens) => tokens.some((count) => count > 0)),
    ),
  )
  fc.assert(
    fc.property(stream, fc.integer({ min: 1, max: 12 }), ([gapsMs, tokens], floor) => {
      const { heldUs } = held(
        gapsMs.map((ms) => ms * 1000),
        floor,
        tokens,
      )
      expect(heldUs / 1000).toBe(plainHeldMs(gapsMs, floor, tokens))
    }),
    { numRuns: 50 },
  )
})

test('tokens that are spread evenly over fewer events count as the fractions they are', () => {
  const record = { ...recordOf({ gapsUs: Array.from({ length: 49 }, () => 100_000) }), outputTokens: 5 * 50 }
  const stream = streamOf(record)
  if (stream === undefined) throw new Error('the record has tokens')
  expect(heldTime(stream, 50).heldUs).toBe(3_900_000)
  expect(heldTime(stream, 51).heldUs).toBe(0)
})
