import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseLaw } from '../../../src/model/index.ts'
import { createEngine } from '../../../src/sim/engine/create-engine.ts'
import { type EnginePolicy, enginePolicy } from '../../../src/sim/engine/policy.ts'
import type { Sequence } from '../../../src/sim/engine/sequence.ts'
import { lawStepTime } from '../../../src/sim/step/law-step-time.ts'

const POLICY = enginePolicy({
  maxNumSeqs: 8,
  maxBatchedTokens: 100,
  blockTokens: 4,
})

type Request = Partial<Sequence> & { readonly atS: number; readonly prompt: number; readonly answer: number }

/** Runs requests to their end. Steps take 10 ms and 1 ms a sequence, unless a law is given. */
function run(policy: Partial<EnginePolicy>, requests: readonly Request[], law = 'a=10ms,b=1ms') {
  const answers: { id: number; firstMs: number; gapsMs: number[]; preemptions: number; cached: number }[] = []
  const counts: boolean[] = []
  let rows = 0
  let steps = 0
  const engine = createEngine({
    index: 0,
    policy: { ...POLICY, ...policy },
    stepTime: lawStepTime(parseLaw(law)),
    groups: 1,
    listener: {
      segment(_, piece) {
        rows++
        steps += piece.steps
      },
      preempted: () => undefined,
      resumed: () => undefined,
      finished(_, { sequence, firstTokenS, times, preemptions, cachedTokens }) {
        const gapsUs = times.gapsUs()
        const firstMs = Math.round(firstTokenS * 1e6) / 1000
        answers.push({
          id: sequence.id,
          firstMs,
          gapsMs: gapsUs.map((us) => us / 1000),
          preemptions,
          cached: cachedTokens,
        })
        // Tokens before an instant are those that the gaps put before it: at each token, and just after it.
        let us = Math.round(firstTokenS * 1e6)
        for (const [i, gap] of [...gapsUs, 1].entries()) {
          counts.push(times.countBefore(us) === i, times.countBefore(us + 1) === i + 1)
          us += gap
        }
      },
    },
  })
  for (const [id, { atS, prompt, answer, ...rest }] of requests.entries()) {
    while (engine.nextS < atS) engine.advance()
    engine.submit({ id, lane: 0, group: 0, priority: 0, promptTokens: prompt, outputTokens: answer, ...rest }, atS)
  }
  while (engine.nextS !== Number.POSITIVE_INFINITY) engine.advance()
  expect(engine.running + engine.waiting + engine.blocksHeld(1e9)).toBe(0)
  expect(counts.every((isRight) => isRight)).toBe(true)
  return { answers: answers.sort((a, b) => a.id - b.id), rows, steps }
}

test('a request alone: its prompt, then a token a step', () => {
  const { answers } = run({}, [{ atS: 1, prompt: 5, answer: 3 }])
  expect(answers).toEqual([{ id: 0, firstMs: 1011, gapsMs: [11, 11], preemptions: 0, cached: 0 }])
})

test('who comes in the middle of a row of steps is in the next one', () => {
  const { answers } = run({}, [
    { atS: 0, prompt: 5, answer: 6 },
    { atS: 0.03, prompt: 5, answer: 2 },
  ])
  // Steps end at 11, 22, 33; the second's prompt is read in the step that ends at 45, beside the first.
  expect(answers.map(({ firstMs, gapsMs }) => [firstMs, ...gapsMs])).toEqual([
    [11, 11, 11, 12, 12, 11],
    [45, 12],
  ])
})

test('asynchronous: the next step is decided as this one begins, so that it waits one more', () => {
  const { answers } = run({ asynchronous: true }, [
    { atS: 0, prompt: 5, answer: 6 },
    { atS: 0.03, prompt: 5, answer: 2 },
  ])
  expect(answers.map(({ firstMs, gapsMs }) => [firstMs, ...gapsMs])).toEqual([
    [11, 11, 11, 11, 12, 12],
    [56, 12],
  ])
})

test('a prompt is read in the room that is left in each step, and prompts first in steps of their own', () => {
  const requests = [
    { atS: 0, prompt: 5, answer: 4 },
    { atS: 0.005, prompt: 15, answer: 2 },
  ]
  const law = 'a=10ms,b=0ms,d=1ms'
  const chunked = run({ maxBatchedTokens: 8 }, requests, law).answers
  // 15 tokens in pieces of 7, 7, 1, a decoding one beside each.
  expect(chunked.map(({ firstMs, gapsMs }) => [firstMs, ...gapsMs])).toEqual([
    [15, 17, 17, 11],
    [60, 10],
  ])
  const first = run({ maxBatchedTokens: 8, prefill: 'first' }, requests, law).answers
  expect(first.map(({ firstMs, gapsMs }) => [firstMs, ...gapsMs])).toEqual([
    [15, 35, 10, 10],
    [40, 10],
  ])
})

test('where blocks run out the last admitted gives way, is read anew, and loses no token', () => {
  const requests = [
    { atS: 0, prompt: 4, answer: 9 },
    { atS: 0, prompt: 4, answer: 9 },
  ]
  // Five blocks of 4: both have two from their second token on; the third, for the sixth token, is there only once.
  const { answers } = run({ kvTokens: 20 }, requests)
  expect(answers.map(({ preemptions }) => preemptions)).toEqual([0, 1])
  expect(answers.map(({ gapsMs }) => gapsMs.length)).toEqual([8, 8])
  const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0)
  expect(sum(answers[1]!.gapsMs)).toBeGreaterThan(sum(answers[0]!.gapsMs) + 22)
  const roomy = run({ kvTokens: 24 }, requests).answers
  expect(roomy.map(({ preemptions }) => preemptions)).toEqual([0, 0])
  // With prompt and answer held from the start the second waits, and nobody gives way.
  const reserved = run({ kvTokens: 20, kv: 'reserve' }, requests).answers
  expect(reserved.map(({ firstMs, preemptions }) => [firstMs, preemptions])).toEqual([
    [12 - 1, 0],
    [11 * 9 + 11, 0],
  ])
})

test('by priority the later one goes first and the other gives way', () => {
  const requests = [
    { atS: 0, prompt: 4, answer: 9, priority: 1 },
    { atS: 0, prompt: 4, answer: 9, priority: 0 },
    { atS: 0, prompt: 4, answer: 1, priority: 2 },
  ]
  const { answers } = run({ kvTokens: 20, admission: 'priority', maxNumSeqs: 2 }, requests)
  expect(answers.map(({ preemptions }) => preemptions)).toEqual([1, 0, 0])
  expect(answers[2]!.firstMs).toBeGreaterThan(answers[1]!.firstMs + 88)
})

test('a beginning that is in the cache is not read again', () => {
  const parts = [{ id: 1, tokens: 40 }]
  const requests = [
    { atS: 0, prompt: 42, answer: 2, parts },
    { atS: 1, prompt: 42, answer: 2, parts },
  ]
  const law = 'a=10ms,b=0ms,d=1ms'
  expect(run({ prefixCache: true }, requests, law).answers.map(({ firstMs, cached }) => [firstMs, cached])).toEqual([
    [52, 0],
    [1012, 40],
  ])
  expect(run({}, requests, law).answers.map(({ firstMs, cached }) => [firstMs, cached])).toEqual([
    [52, 0],
    [1052, 0],
  ])
})

test('a prompt that came over a link decodes at once', () => {
  const { answers } = run({}, [{ atS: 0, prompt: 50, answer: 3, isPrefilled: true }], 'a=10ms,b=1ms,d=1ms')
  expect(answers).toEqual([{ id: 0, firstMs: 11, gapsMs: [11, 11], preemptions: 0, cached: 0 }])
})

test('what could never fit is known before', () => {
  const engine = (policy: Partial<EnginePolicy>) =>
    createEngine({
      index: 0,
      policy: { ...POLICY, ...policy },
      stepTime: lawStepTime(parseLaw('a=1ms,b=1ms')),
      groups: 1,
      listener: { segment() {}, preempted() {}, resumed() {}, finished() {} },
    })
  const request = (outputTokens: number): Sequence => ({
    id: 0,
    lane: 0,
    group: 0,
    priority: 0,
    promptTokens: 10,
    outputTokens,
  })
  // The last token is never read again: 20 tokens of cache are enough for 21 in all.
  expect([11, 12].map((output) => engine({ kvTokens: 20 }).holds(request(output)))).toEqual([true, false])
  expect([10, 11].map((n) => engine({ kvTokens: 20, kv: 'reserve' }).holds(request(n)))).toEqual([true, false])
  expect(engine({ kvTokens: 23 }).holds(request(12))).toBe(false)
  expect(engine({}).holds(request(1e6))).toBe(true)
})

test('rows do not grow with tokens', () => {
  const { rows, steps } = run({ kvTokens: 1e6 }, [
    { atS: 0, prompt: 10, answer: 100_000 },
    { atS: 5, prompt: 10, answer: 50_000 },
  ])
  expect(steps).toBe(100_000)
  expect(rows).toBeLessThan(10)
})

test('every token comes once, and the times before an instant are counted right, whatever the policy', () => {
  const request = fc.record({
    atS: fc.integer({ min: 0, max: 400 }).map((ms) => ms / 1000),
    prompt: fc.integer({ min: 1, max: 40 }),
    answer: fc.integer({ min: 1, max: 60 }),
  })
  const policy = fc.record({
    kvTokens: fc.constantFrom(120, 160, Number.POSITIVE_INFINITY),
    maxBatchedTokens: fc.constantFrom(9, 60),
    prefill: fc.constantFrom('chunked' as const, 'first' as const),
    admission: fc.constantFrom('fcfs' as const, 'priority' as const),
    asynchronous: fc.boolean(),
    prefixCache: fc.boolean(),
  })
  fc.assert(
    fc.property(policy, fc.array(request, { minLength: 1, maxLength: 20 }), (chosen, requests) => {
      const inOrder = [...requests].sort((a, b) => a.atS - b.atS)
      const { answers } = run(chosen, inOrder, 'a=5ms,b=0.3ms,c=20ms,d=0.1ms')
      expect(answers.map(({ gapsMs }) => gapsMs.length + 1)).toEqual(inOrder.map(({ answer }) => answer))
    }),
    { numRuns: 200 },
  )
})
