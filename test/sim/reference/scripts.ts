import fc from 'fast-check'
import type { EnginePolicy } from '../../../src/sim/engine/policy.ts'
import type { PromptPart } from '../../../src/sim/engine/sequence.ts'
import { lawStepTime } from '../../../src/sim/step/law-step-time.ts'
import type { StepLoad, StepTime } from '../../../src/sim/step/step-time.ts'
import type { Script, ScriptedRequest } from './drive.ts'

const GROUPS = 2

const policies = (prefixCache: boolean): fc.Arbitrary<EnginePolicy> =>
  fc.record({
    maxNumSeqs: fc.integer({ min: 1, max: 10 }),
    maxBatchedTokens: fc.oneof(fc.integer({ min: 1, max: 16 }), fc.integer({ min: 1, max: 120 })),
    kvTokens: fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 20, max: 120 }) },
      { weight: 2, arbitrary: fc.integer({ min: 100, max: 500 }) },
      { weight: 1, arbitrary: fc.constant(Number.POSITIVE_INFINITY) },
    ),
    blockTokens: fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 5 }), fc.integer({ min: 1, max: 16 })),
    prefill: fc.constantFrom('chunked' as const, 'chunked' as const, 'first' as const),
    kv: fc.constantFrom('preempt' as const, 'preempt' as const, 'preempt' as const, 'reserve' as const),
    admission: fc.constantFrom('fcfs' as const, 'fcfs' as const, 'priority' as const),
    asynchronous: fc.boolean(),
    prefixCache: fc.constant(prefixCache),
    wholePrompt: fc.boolean(),
  })

/** The longer of two straight lines, as where reading the cache comes to bind: with a corner at a number of KV tokens. */
function cornered(baseS: number, perTokenS: number, corner: number): StepTime {
  const seconds = ({ decoding, completing, decodeKvTokens, prefillTokens }: StepLoad): number =>
    baseS + (decoding + completing + prefillTokens) * perTokenS + Math.max(0, decodeKvTokens - corner) * perTokenS
  return {
    seconds,
    straightFor({ decoding, decodeKvTokens }, most) {
      const toCorner = Math.floor((corner - decodeKvTokens) / decoding) + 1
      return decodeKvTokens >= corner ? most : Math.min(most, Math.max(1, toCorner))
    },
  }
}

const ms = (min: number, max: number): fc.Arbitrary<number> =>
  fc.double({ min, max, noNaN: true, noDefaultInfinity: true }).map((value) => value / 1000)

/** 15 625 µs: a step of it ends at a whole microsecond, and to the last bit where an arrival may lie. */
const EVEN_S = 1 / 64

const stepTimes: fc.Arbitrary<StepTime> = fc.oneof(
  fc.constant(lawStepTime({ baseS: EVEN_S, perSequenceS: 0 })),
  fc.constant(lawStepTime({ baseS: EVEN_S, perSequenceS: EVEN_S, perPrefillTokenS: EVEN_S })),
  fc.record({ baseS: ms(1, 20), perSequenceS: ms(0, 3) }).map(lawStepTime),
  fc
    .record({
      baseS: ms(1, 20),
      perSequenceS: ms(0, 3),
      perThousandKvTokensS: ms(0, 40),
      perPrefillTokenS: ms(0, 1),
    })
    .map(lawStepTime),
  fc
    .record({
      baseS: ms(1, 20),
      perSequenceS: ms(0, 3),
      perThousandKvTokensS: ms(0, 40),
      experts: fc.record({ active: fc.integer({ min: 1, max: 8 }), all: fc.constant(64), seconds: ms(1, 20) }),
    })
    .map(lawStepTime),
  fc.tuple(ms(1, 20), ms(0.01, 1), fc.integer({ min: 0, max: 200 })).map((args) => cornered(...args)),
)

/** Bursts, even instants and any; in seconds. */
const instants: fc.Arbitrary<number> = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 40 }).map((n) => n * EVEN_S),
  fc.constantFrom(0.1, 0.25, 0.3),
  fc.integer({ min: 0, max: 900_000 }).map((us) => us / 1e6),
)

const TREES: readonly (readonly PromptPart[])[] = [
  [],
  [{ id: 1, tokens: 9 }],
  [
    { id: 1, tokens: 9 },
    { id: 2, tokens: 14 },
  ],
  [
    { id: 1, tokens: 9 },
    { id: 3, tokens: 3 },
    { id: 4, tokens: 20 },
  ],
  [{ id: 5, tokens: 32 }],
]

const drawn = fc.record({
  at: instants,
  user: fc.option(fc.nat(3), { nil: undefined }),
  thinkS: fc.constantFrom(0, 0, EVEN_S, 0.02),
  ownTokens: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 60 })),
  outputTokens: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 60 })),
  priority: fc.nat(2),
  group: fc.nat(GROUPS - 1),
  isPrefilled: fc.boolean(),
  tree: fc.nat(TREES.length - 1),
  /** It goes on with what the one so many places before it said. */
  follows: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  hasOwnId: fc.boolean(),
})
type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never

function requestsOf(all: readonly Drawn[], mayPrefill: boolean): readonly ScriptedRequest[] {
  const requests: ScriptedRequest[] = []
  for (const [i, one] of all.entries()) {
    const said = one.follows === undefined ? undefined : requests[i - one.follows]
    const parts =
      said?.ownId === undefined ? TREES[one.tree]! : [...(said.parts ?? []), { id: said.ownId, tokens: rest(said) }]
    requests.push({
      afterS: one.user === undefined ? one.at : one.thinkS,
      ...(one.user === undefined ? {} : { user: one.user }),
      group: one.group,
      promptTokens: parts.reduce((tokens, part) => tokens + part.tokens, one.ownTokens),
      outputTokens: one.outputTokens,
      priority: one.priority,
      parts,
      ...(one.hasOwnId ? { ownId: 100 + i } : {}),
      ...(mayPrefill && one.isPrefilled ? { isPrefilled: true } : {}),
    })
  }
  return requests
}

/** What is a request's own: its prompt without the parts, and its answer. */
const rest = ({ promptTokens, outputTokens, parts = [] }: ScriptedRequest): number =>
  promptTokens + outputTokens - parts.reduce((tokens, part) => tokens + part.tokens, 0)

export const scripts = (prefixCache: boolean): fc.Arbitrary<Script> =>
  fc
    .record({
      policy: policies(prefixCache),
      stepTime: stepTimes,
      drawn: fc.array(drawn, { minLength: 1, maxLength: 24 }),
      mayPrefill: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
      looksS: fc.array(instants, { maxLength: 6 }),
    })
    .map(({ drawn, mayPrefill, ...script }) => ({ ...script, groups: GROUPS, requests: requestsOf(drawn, mayPrefill) }))
