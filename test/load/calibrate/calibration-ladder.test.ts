import { expect, it } from 'vitest'
import {
  isWorthAnother,
  nextRung,
  type Outcome,
  type TriedRung,
} from '../../../src/load/calibrate/calibration-ladder.ts'

/** All that is tried of a client that does so with each load. */
function climb(outcomeOf: (streams: number, pace: number) => Outcome, asked?: readonly number[]): readonly TriedRung[] {
  const tried: TriedRung[] = []
  for (let rung = nextRung([], asked); rung !== undefined; rung = nextRung(tried, asked)) {
    tried.push({ ...rung, outcome: outcomeOf(rung.streams, rung.tokensPerSecond) })
    if (tried.length > 99) throw new Error('It never ends.')
  }
  return tried
}

const upTo = (most: number) => (streams: number, pace: number) => (streams * pace <= 50 * most ? 'borne' : 'notBorne')
const streamsOf = (tried: readonly TriedRung[]) => tried.map(({ streams }) => streams)

it('loads ascend in streams and in events, past the limit by two, and then as many events come on more streams', () => {
  expect(streamsOf(climb(upTo(512)))).toEqual([16, 64, 256, 512, 1024, 2048, 1024])
  expect(climb(upTo(512)).at(-1)).toEqual({ streams: 1024, tokensPerSecond: 25, outcome: 'borne' })
  for (const most of [16, 64, 100, 1024, 2048, 5000]) {
    const borne = climb(upTo(most)).filter(({ outcome }) => outcome === 'borne')
    for (const [at, { streams, tokensPerSecond }] of borne.slice(1).entries()) {
      const before = borne[at]
      expect(streams).toBeGreaterThan(before?.streams ?? 0)
      expect(streams * tokensPerSecond).toBeGreaterThanOrEqual((before?.streams ?? 0) * (before?.tokensPerSecond ?? 0))
    }
  }
})

it('one that is not borne is not the end, two in a row are', () => {
  const disturbed = climb((streams, pace) => (streams === 64 ? 'notBorne' : upTo(256)(streams, pace)))
  expect(streamsOf(disturbed)).toEqual([16, 64, 256, 512, 1024, 512])
  expect(disturbed.at(-1)).toMatchObject({ tokensPerSecond: 25, outcome: 'borne' })
  expect(streamsOf(climb(() => 'notBorne'))).toEqual([16, 64])
})

it('more than the server can write is not asked of it, and no more streams than there are sockets for', () => {
  const full = climb((streams) => (streams === 1024 ? 'full' : 'borne'))
  expect(streamsOf(full)).toEqual([16, 64, 256, 512, 1024, 2048])
  expect(streamsOf(climb(() => 'borne'))).toEqual([16, 64, 256, 512, 1024, 2048, 4096])
  expect(climb(upTo(2048)).at(-1)).toEqual({ streams: 4096, tokensPerSecond: 25, outcome: 'borne' })
})

it('what a user names is tried in order and nothing else', () => {
  expect(streamsOf(climb(() => 'borne', [512, 16, 64]))).toEqual([16, 64, 512])
  expect(streamsOf(climb(upTo(16), [16, 64, 256, 512]))).toEqual([16, 64, 256])
})

it('a load is tried again where it may have been something else, but not to tell the limit', () => {
  expect(isWorthAnother('borne', undefined)).toBe(false)
  expect(isWorthAnother('notBorne', undefined)).toBe(true)
  expect(isWorthAnother('full', 'borne')).toBe(true)
  expect(isWorthAnother('notBorne', 'notBorne')).toBe(false)
})
