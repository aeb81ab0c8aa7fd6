import type { Law } from '../../src/model/index.ts'
import type { Clock } from '../../src/serve/clock.ts'
import type { EngineLimits } from '../../src/serve/engine.ts'
import { createSimulatedEngine } from '../../src/serve/simulated.ts'
import type { Arrival, Source } from '../../src/sim/index.ts'

export interface ServedAnswer {
  readonly arrival: Arrival
  readonly tokenS: readonly number[]
}

/** The engine of `serve`, without sockets and on a clock that jumps: so many requests of a source, answered, in order of ends. */
export function served(source: Source, law: Law, limits: Partial<EngineLimits>, count: number): ServedAnswer[] {
  const clock = createJumpingClock()
  const engine = createSimulatedEngine({ law, limits, clock })
  const answers: ServedAnswer[] = []
  const submit = (arrival: Arrival): void => {
    const tokenS: number[] = []
    engine.submit(
      {
        prompt: { kind: 'tokens', tokens: new Array<number>(arrival.promptTokens).fill(1) },
        maxTokens: arrival.outputTokens,
        minTokens: 0,
        ignoreEos: true,
        temperature: 0,
      },
      {
        token: () => tokenS.push(clock.now()),
        end: () => {
          answers.push({ arrival, tokenS })
          source.ended(arrival, clock.now())
        },
        failed: (error) => {
          throw error
        },
      },
    )
  }
  while (answers.length < count) {
    if (source.nextS <= clock.nextS()) {
      clock.jump(source.nextS)
      submit(source.take())
    } else clock.step()
  }
  return answers.slice(0, count)
}

function createJumpingClock(): Clock & { nextS(): number; jump(toS: number): void; step(): void } {
  let nowS = 0
  let alarms: { readonly whenS: number; readonly call: () => void }[] = []
  const first = () => alarms.reduce<(typeof alarms)[number] | undefined>(earlier, undefined)
  return {
    now: () => nowS,
    at: (whenS, call) => {
      const alarm = { whenS: Math.max(whenS, nowS), call }
      alarms.push(alarm)
      return () => {
        alarms = alarms.filter((other) => other !== alarm)
      }
    },
    nextS: () => first()?.whenS ?? Number.POSITIVE_INFINITY,
    jump: (toS) => {
      nowS = toS
    },
    step: () => {
      const alarm = first()
      if (alarm === undefined) throw new Error('nothing will ever happen')
      alarms = alarms.filter((other) => other !== alarm)
      nowS = alarm.whenS
      alarm.call()
    },
  }
}

const earlier = <A extends { readonly whenS: number }>(one: A | undefined, other: A): A =>
  one === undefined || other.whenS < one.whenS ? other : one
