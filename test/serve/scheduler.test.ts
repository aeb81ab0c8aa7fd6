import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createScheduler, type Sequence } from '../../src/serve/scheduler.ts'

interface Named extends Sequence {
  readonly name: string
}

const limits = { maxNumSeqs: 4, maxBatchedTokens: 10, kvTokens: 1000 }
const sequence = (name: string, promptTokens: number, maxTokens = 5): Named => ({ name, promptTokens, maxTokens })

describe('a step', () => {
  test('takes a whole prompt that fits, which then makes its first token', () => {
    const scheduler = createScheduler<Named>(limits)
    const a = sequence('a', 7)
    scheduler.add(a)
    expect(scheduler.plan()).toEqual({
      decode: [],
      prefill: [{ sequence: a, from: 0, count: 7, last: true }],
      batch: 1,
      prefillTokens: 7,
      kvTokens: 7,
    })
    expect(scheduler.plan()).toEqual({ decode: [a], prefill: [], batch: 1, prefillTokens: 0, kvTokens: 8 })
  })

  test('cuts a long prompt into chunks, and decodes beside them', () => {
    const scheduler = createScheduler<Named>(limits)
    const [a, b] = [sequence('a', 2), sequence('b', 20)]
    scheduler.add(a)
    scheduler.plan()
    scheduler.add(b)
    const chunks = [1, 2, 3].map(() => scheduler.plan())
    expect(chunks.map((plan) => plan?.prefill[0])).toEqual([
      { sequence: b, from: 0, count: 9, last: false },
      { sequence: b, from: 9, count: 9, last: false },
      { sequence: b, from: 18, count: 2, last: true },
    ])
    expect(chunks.map((plan) => plan?.batch)).toEqual([1, 1, 2])
    expect(chunks.every((plan) => plan?.decode[0] === a)).toBe(true)
  })

  test('takes no more sequences than slots, and the next as soon as one leaves', () => {
    const scheduler = createScheduler<Named>(limits)
    const all = ['a', 'b', 'c', 'd', 'e'].map((name) => sequence(name, 1))
    for (const each of all) scheduler.add(each)
    expect(scheduler.plan()?.batch).toBe(4)
    expect([scheduler.running, scheduler.waiting]).toEqual([4, 1])
    scheduler.remove(all[1]!)
    expect(scheduler.plan()?.prefill.map((each) => each.sequence.name)).toEqual(['e'])
    expect([scheduler.running, scheduler.waiting]).toEqual([4, 0])
  })

  test('never overtakes the head of the queue, though what is behind would fit into the cache', () => {
    const scheduler = createScheduler<Named>({ ...limits, kvTokens: 20 })
    const [a, big, small] = [sequence('a', 5), sequence('big', 11), sequence('small', 1)]
    for (const each of [a, big, small]) scheduler.add(each)
    expect(scheduler.plan()?.batch).toBe(1)
    expect(scheduler.waiting).toBe(2)
    scheduler.remove(a)
    expect(scheduler.plan()?.prefill.map((each) => each.sequence.name)).toEqual(['big'])
  })

  test('with nothing to do there is none', () => {
    const scheduler = createScheduler<Named>(limits)
    expect(scheduler.plan()).toBeUndefined()
    const a = sequence('a', 3)
    scheduler.add(a)
    scheduler.remove(a)
    expect(scheduler.plan()).toBeUndefined()
  })
})

test('by law: every sequence gets its prompt in order and exactly its tokens, within every limit', () => {
  const sequences = fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 12 })), {
    minLength: 1,
    maxLength: 30,
  })
  const anyLimits = fc.record({
    maxNumSeqs: fc.integer({ min: 1, max: 8 }),
    maxBatchedTokens: fc.integer({ min: 1, max: 30 }),
    kvTokens: fc.integer({ min: 52, max: 300 }),
  })
  fc.assert(
    fc.property(sequences, anyLimits, (shapes, drawn) => {
      const scheduler = createScheduler<Named>(drawn)
      const all = shapes.map(([prompt, output], index) => sequence(String(index), prompt, output))
      const made = new Map(all.map((each) => [each, 0]))
      const read = new Map(all.map((each) => [each, 0]))
      const first: Named[] = []
      for (const each of all) scheduler.add(each)
      for (let plan = scheduler.plan(); plan !== undefined; plan = scheduler.plan()) {
        expect(scheduler.running).toBeLessThanOrEqual(drawn.maxNumSeqs)
        expect(plan.decode.length + plan.prefillTokens).toBeLessThanOrEqual(drawn.maxBatchedTokens)
        expect(plan.decode.length + plan.prefillTokens).toBeGreaterThan(0)
        const makers = [...plan.decode]
        for (const { sequence: each, from, count, last } of plan.prefill) {
          expect(from).toBe(read.get(each))
          read.set(each, from + count)
          expect(last).toBe(from + count === each.promptTokens)
          if (last) makers.push(each)
          if (last) first.push(each)
        }
        expect(plan.batch).toBe(makers.length)
        expect(plan.kvTokens).toBe(makers.reduce((sum, each) => sum + each.promptTokens + (made.get(each) ?? 0), 0))
        expect(plan.kvTokens).toBeLessThanOrEqual(drawn.kvTokens)
        for (const each of makers) {
          made.set(each, (made.get(each) ?? 0) + 1)
          if (made.get(each) === each.maxTokens) scheduler.remove(each)
        }
      }
      expect([scheduler.running, scheduler.waiting]).toEqual([0, 0])
      for (const each of all) expect([read.get(each), made.get(each)]).toEqual([each.promptTokens, each.maxTokens])
      expect(first.map((each) => each.name)).toEqual(all.map((each) => each.name))
    }),
  )
})
