import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseLaw, stepSeconds } from '../../../src/model/index.ts'
import { lawStepTime } from '../../../src/sim/step/law-step-time.ts'

const load = {
  decoding: 3,
  decodeKvTokens: 3000,
  completing: 1,
  completingKvTokens: 500,
  prefillTokens: 200,
  prefillContextTokens: 400,
}

test('a prompt that a step completes counts as a sequence of it, and its tokens as cache', () => {
  const { seconds } = lawStepTime(parseLaw('a=5ms,b=1ms,c=2ms,d=0.01ms'))
  expect(seconds(load)).toBeCloseTo(0.005 + 4 * 0.001 + 3.5 * 0.002 + 200 * 0.00001, 12)
  expect(seconds({ ...load, completing: 0, completingKvTokens: 0 })).toBeCloseTo(0.005 + 0.003 + 0.006 + 0.002, 12)
})

test('it is the law, to the last bit, whatever was asked before', () => {
  const law = { ...parseLaw('a=5ms,b=1ms,c=2ms,d=0.01ms'), experts: { active: 8, all: 256, seconds: 0.02 } }
  const { seconds, straightFor } = lawStepTime(law)
  const count = fc.integer({ min: 0, max: 100_000 })
  fc.assert(
    fc.property(
      count,
      count,
      count,
      count,
      count,
      (decoding, decodeKvTokens, completing, completingKvTokens, prompt) => {
        const asked = { decoding, decodeKvTokens, completing, completingKvTokens, prefillTokens: prompt }
        expect(seconds({ ...asked, prefillContextTokens: 0 })).toBe(
          stepSeconds(law, {
            batch: decoding + completing,
            kvTokens: decodeKvTokens + completingKvTokens,
            prefillTokens: prompt,
          }),
        )
      },
    ),
  )
  expect(straightFor(load, 12_345)).toBe(12_345)
})
