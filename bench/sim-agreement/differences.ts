import type { Point } from '../../src/core/index.ts'

/** A figure of both, in its own unit, and simulated ÷ measured − 1. */
export interface Difference {
  readonly figure: string
  readonly measured: number
  readonly simulated: number
  readonly off: number
}

const FIGURES: Readonly<Record<string, (point: Point) => number | undefined>> = {
  'output tok/s': ({ outputTokensPerSecond }) => outputTokensPerSecond,
  'tok/s/user, mean': ({ perUser }) => perUser.tokensPerSecond.mean,
  'tok/s/user, p10': ({ perUser }) => perUser.tokensPerSecond.p10,
  'tok/s/user, p50': ({ perUser }) => perUser.tokensPerSecond.p50,
  'TPOT, mean': ({ latency }) => latency.tpotMs?.mean,
  'TPOT, p90': ({ latency }) => latency.tpotMs?.p90,
  'TTFT, mean': ({ latency }) => latency.ttftMs?.mean,
  'TTFT, p50': ({ latency }) => latency.ttftMs?.p50,
  'TTFT, p90': ({ latency }) => latency.ttftMs?.p90,
  'ITL, mean': ({ latency }) => latency.itlMs?.mean,
  'ITL, p50': ({ latency }) => latency.itlMs?.p50,
  'end to end, mean': ({ latency }) => latency.e2eMs?.mean,
  'in flight L': ({ littlesLaw }) => littlesLaw.inFlight,
  'time in system W': ({ littlesLaw }) => littlesLaw.timeInSystemS,
}

export function differencesOf(measured: Point, simulated: Point): readonly Difference[] {
  return Object.entries(FIGURES).map(([figure, of]) => {
    const [one, other] = [of(measured) ?? Number.NaN, of(simulated) ?? Number.NaN]
    return { figure, measured: one, simulated: other, off: other / one - 1 }
  })
}
