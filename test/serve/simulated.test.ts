import { describe, expect, test } from 'vitest'
import { parseLaw } from '../../src/model/index.ts'
import type { Clock } from '../../src/serve/clock.ts'
import { type EngineRequest, RequestRefused } from '../../src/serve/engine.ts'
import { createSimulatedEngine, type SimulatedOptions } from '../../src/serve/simulated.ts'

/** A clock that stands still until it is moved, and can be late by what each call takes. */
function fakeClock(): Clock & { runUntil(seconds: number): void; delay: number } {
  let now = 0
  let alarms: { when: number; call: () => void }[] = []
  const clock = {
    delay: 0,
    now: () => now,
    at(when: number, call: () => void) {
      const alarm = { when, call }
      alarms.push(alarm)
      return () => {
        alarms = alarms.filter((each) => each !== alarm)
      }
    },
    runUntil(seconds: number) {
      for (;;) {
        const next = alarms.sort((a, b) => a.when - b.when)[0]
        if (next === undefined || next.when > seconds) break
        alarms = alarms.filter((each) => each !== next)
        now = Math.max(now, next.when) + clock.delay
        next.call()
      }
      now = Math.max(now, seconds)
    },
  }
  return clock
}

const request = (more: Partial<EngineRequest> = {}): EngineRequest => ({
  prompt: { kind: 'text', text: 'one two three' },
  minTokens: 0,
  ignoreEos: false,
  temperature: 0,
  maxTokens: 4,
  ...more,
})

interface Heard {
  text: string
  readonly times: number[]
  readonly batches: number[]
  end: string | undefined
}

function setUp(options: Partial<SimulatedOptions> = {}) {
  const clock = fakeClock()
  const engine = createSimulatedEngine({ law: parseLaw('a=5ms,b=1ms'), clock, ...options })
  const ask = (more?: Partial<EngineRequest>, agoS?: number) => {
    const heard: Heard = { text: '', times: [], batches: [], end: undefined }
    const listener = {
      token(text: string, batch: number) {
        heard.text += text
        heard.times.push(clock.now())
        heard.batches.push(batch)
      },
      end(reason: string) {
        heard.end = reason
      },
      failed() {},
    }
    const ticket = engine.submit(request(more), listener, agoS)
    return { heard, ticket }
  }
  return { clock, engine, ask }
}

const ms = (times: readonly number[]): number[] => times.map((time) => Math.round(time * 1e6) / 1e3)

describe('steps take what the law says', () => {
  test('alone: a + b each', () => {
    const { clock, ask } = setUp()
    const { heard } = ask()
    clock.runUntil(1)
    expect(ms(heard.times)).toEqual([6, 12, 18, 24])
    expect(heard.batches).toEqual([1, 1, 1, 1])
    expect(heard.end).toBe('length')
  })

  test('a request joins at the next step, and the batch is as large as the sequences that make a token', () => {
    const { clock, ask } = setUp()
    const one = ask()
    clock.runUntil(0.008)
    const two = ask()
    clock.runUntil(1)
    expect(ms(one.heard.times)).toEqual([6, 12, 19, 26])
    expect(ms(two.heard.times)).toEqual([19, 26, 32, 38])
    expect(one.heard.batches).toEqual([1, 1, 2, 2])
    expect(two.heard.batches).toEqual([2, 2, 1, 1])
  })

  test('who answers a token meets a step that has begun; the place of one that has ended is free in it', () => {
    const { clock, engine, ask } = setUp({ limits: { maxNumSeqs: 2 } })
    const other = ask({ maxTokens: 9 })
    const next: ReturnType<typeof ask>[] = []
    engine.submit(request({ maxTokens: 1 }), {
      token: () => next.push(ask({ maxTokens: 1 })),
      end: () => undefined,
      failed: () => undefined,
    })
    const waiting = ask({ maxTokens: 1 })
    clock.runUntil(1)
    // 6 alone, since a first request does not wait for others; then two by two, and alone again.
    expect(ms(other.heard.times).slice(0, 5)).toEqual([6, 13, 20, 27, 33])
    expect(ms(waiting.heard.times)).toEqual([20])
    expect(next.map(({ heard }) => ms(heard.times))).toEqual([[27]])
  })

  test('c counts the cache in thousands of tokens, d the tokens of prompts', () => {
    const { clock, ask } = setUp({ law: parseLaw('a=5ms,b=1ms,c=1s,d=0.1ms') })
    const { heard } = ask({ maxTokens: 2 })
    clock.runUntil(1)
    // 6 + 3 tokens of cache + 3 of the prompt; then 6 + 4 tokens of cache.
    expect(ms(heard.times)).toEqual([9.3, 19.3])
  })

  test('an idle engine starts with the request, not with an old schedule', () => {
    const { clock, ask } = setUp()
    ask({ maxTokens: 1 })
    clock.runUntil(0.5)
    const { heard } = ask({ maxTokens: 2 })
    clock.runUntil(1)
    expect(ms(heard.times)).toEqual([506, 512])
  })

  test('an idle engine starts when the request was received, not when it had been read', () => {
    const { clock, ask } = setUp()
    clock.runUntil(0.5)
    const { heard } = ask({ maxTokens: 2 }, 0.002)
    clock.runUntil(1)
    expect(ms(heard.times)).toEqual([504, 510])
  })

  test('but never before the step that ran meanwhile has ended', () => {
    const { clock, ask } = setUp()
    ask({ maxTokens: 1 })
    clock.runUntil(0.007)
    const { heard } = ask({ maxTokens: 1 }, 0.002)
    clock.runUntil(1)
    expect(ms(heard.times)).toEqual([12])
  })

  test('lateness does not add up: 100 steps that each wake 1 ms late end 1 ms late', () => {
    const { clock, engine, ask } = setUp()
    clock.delay = 0.001
    const { heard } = ask({ maxTokens: 100 })
    clock.runUntil(2)
    expect(ms(heard.times).at(-1)).toBe(601)
    expect(engine.status().slips).toBe(0)
  })

  test('a hiccup is made good by shorter steps, of half their time at least', () => {
    const { clock, engine, ask } = setUp()
    const { heard } = ask({ maxTokens: 6 })
    clock.delay = 0.015
    clock.runUntil(0.021)
    clock.delay = 0
    clock.runUntil(1)
    expect(ms(heard.times)).toEqual([21, 24, 27, 30, 33, 36])
    expect(engine.status().slips).toBe(0)
  })

  test('a machine that cannot keep the law moves the schedule, and that is counted', () => {
    const { clock, engine, ask } = setUp()
    clock.delay = 0.1
    const { heard } = ask({ maxTokens: 5 })
    clock.runUntil(2)
    // Every step wakes 100 ms late, and the next takes half of its 6 ms from there: 97 ms more behind each time, 250 at most.
    expect(ms(heard.times)).toEqual([106, 209, 312, 415, 518])
    expect(engine.status()).toMatchObject({ slips: 1, steps: 5 })
    expect(engine.status().slippedMs).toBeCloseTo(3 * 97, 6)
  })
})

describe('an answer', () => {
  test('ends by nature where max_tokens does not end it before', () => {
    const { clock, ask } = setUp({ answerTokens: 3 })
    const heard = [ask({ maxTokens: 2 }), ask({ maxTokens: 9 }), ask({ maxTokens: 3 })].map((each) => each.heard)
    clock.runUntil(1)
    expect(heard.map(({ times, end }) => [times.length, end])).toEqual([
      [2, 'length'],
      [3, 'stop'],
      [3, 'length'],
    ])
  })

  test('goes on past its nature with ignore_eos, and up to min_tokens', () => {
    const { clock, ask } = setUp({ answerTokens: 3 })
    const heard = [ask({ maxTokens: 9, ignoreEos: true }), ask({ maxTokens: 9, minTokens: 5 })].map(
      (each) => each.heard,
    )
    clock.runUntil(1)
    expect(heard.map(({ times, end }) => [times.length, end])).toEqual([
      [9, 'length'],
      [5, 'stop'],
    ])
  })

  test('is words with single spaces, the same for the same seed and prompt only', () => {
    const { clock, ask } = setUp()
    const other = { kind: 'text', text: 'four five six' } as const
    const [a, again, seeded, prompted] = [ask(), ask(), ask({ seed: 7 }), ask({ prompt: other })].map(
      (each) => each.heard,
    )
    clock.runUntil(1)
    expect(a?.text).toMatch(/^[a-z]+( [a-z]+){3}$/)
    expect(again?.text).toBe(a?.text)
    expect(seeded?.text).not.toBe(a?.text)
    expect(prompted?.text).not.toBe(a?.text)
  })

  test('counts the words of its prompt, and what a template would add', () => {
    const { ask } = setUp()
    const chat = { kind: 'chat', messages: [{ role: 'user', text: ' one  two\nthree ' }] } as const
    expect(ask().ticket.promptTokens).toBe(3)
    expect(ask({ prompt: { kind: 'tokens', tokens: [5, 6] } }).ticket.promptTokens).toBe(2)
    expect(ask({ prompt: chat }).ticket.promptTokens).toBe(3 + 4 + 3)
  })

  test('that is cancelled says no more, and its slot is free', () => {
    const { clock, engine, ask } = setUp({ limits: { maxNumSeqs: 1 } })
    const one = ask({ maxTokens: 100 })
    const two = ask({ maxTokens: 1 })
    clock.runUntil(0.02)
    expect(engine.status()).toMatchObject({ running: 1, waiting: 1 })
    one.ticket.cancel()
    const before = one.heard.times.length
    clock.runUntil(0.1)
    expect(one.heard.times.length).toBe(before)
    expect(one.heard.end).toBeUndefined()
    expect(two.heard.end).toBe('length')
    expect(engine.status()).toMatchObject({ running: 0, waiting: 0 })
  })
})

test('a request that can never fit is refused by the field that is too large', () => {
  const { ask } = setUp({ contextTokens: 100, limits: { kvTokens: 50 } })
  expect(() => ask({ maxTokens: 48 })).toThrow(RequestRefused)
  expect(() => ask({ maxTokens: 48 })).toThrow(
    'The context holds 50 tokens; the prompt has 3 and the answer asks for 48.',
  )
  expect(ask({ maxTokens: 47 }).ticket.promptTokens).toBe(3)
})
