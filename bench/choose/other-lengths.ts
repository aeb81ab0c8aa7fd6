/**
 * A server was measured with requests of some lengths, and is asked for others: how often do the bounds of `choose` hold the pace that was
 * measured with those? Every sweep answers for every other of its server.
 */
import { percentile } from '../../src/core/index.ts'
import { findModel } from '../../src/model/catalogue/find.ts'
import { pointsOfRows } from '../../src/model/index.ts'
import { withOtherLengths } from '../../src/plan/candidates/other-lengths.ts'
import { evidenceOfPoints } from '../../src/plan/index.ts'
import { type Bounded, type Coverage, coverageOf } from '../model/intervals.ts'
import { familyOf, layoutOf, lengthsOf, type ServingSweep } from '../model/serving.ts'

/** A load that the sweep of the other lengths has too, or lies between two that it has. */
interface AtOtherLengths extends Bounded {
  readonly server: string
  readonly experts: boolean
  /** Requests in flight. */
  readonly load: number
  /** From the lengths that were measured to those that are asked for, in doublings; less than 0 for halvings. */
  readonly longer: { readonly input: number; readonly output: number }
}

export interface OtherLengths {
  readonly coverage: readonly Coverage[]
  /** A width that is taken from every second server, by how many of the others' loads it holds, and the other way round. */
  readonly heldOutPct: readonly [number, number]
}

/** Of 100. */
const PROMISED = 80
/** Fewer loads than these are no sweep. */
const LEAST = 3

function atOtherLengths(all: readonly ServingSweep[]): readonly AtOtherLengths[] {
  const servers = new Map<string, ServingSweep[]>()
  for (const sweep of all) {
    if (sweep.rows.length < LEAST) continue
    const server = `${familyOf(sweep.setup)} ${layoutOf(sweep.setup)}`
    servers.set(server, [...(servers.get(server) ?? []), sweep])
  }
  return [...servers].flatMap(([server, sweeps]) =>
    sweeps.flatMap((from) =>
      sweeps.filter((to) => lengthsOf(from.setup) !== lengthsOf(to.setup)).flatMap((to) => compared(server, from, to)),
    ),
  )
}

function compared(server: string, from: ServingSweep, to: ServingSweep): readonly AtOtherLengths[] {
  const { experts } = findModel(from.setup.model)
  const [measured, asked] = [from, to].map(({ setup }) => ({ input: setup.inputTokens, output: setup.outputTokens }))
  if (measured === undefined || asked === undefined) return []
  const evidence = evidenceOfPoints(pointsOfRows(from.rows), {
    gpus: from.setup.gpus,
    lengths: measured,
    ...(experts !== undefined && { experts: { active: experts.active, all: experts.all } }),
  })
  const { curve } = withOtherLengths(evidence, asked)
  const longer = { input: Math.log2(asked.input / measured.input), output: Math.log2(asked.output / measured.output) }
  return to.rows.flatMap(({ concurrency, tokensPerSecondPerUser }): readonly AtOtherLengths[] => {
    const point = curve.at(concurrency)
    if (point?.low === undefined || point.high === undefined || point.source === 'extrapolated') return []
    const { tokensPerSecondPerUser: predicted, low, high } = point
    const bounds = { predicted, measured: tokensPerSecondPerUser, low, high }
    return [{ server, experts: experts !== undefined, load: concurrency, longer, ...bounds }]
  })
}

/** Ends of the lines of the table: doublings of prompt and answer together, and requests in flight. */
const DOUBLINGS = [1, 2, 3, 4, 6] as const
const LOADS = [8, 32, 128, 1024] as const

export function otherLengths(sweeps: readonly ServingSweep[]): OtherLengths {
  const all = atOtherLengths(sweeps)
  return {
    coverage: [
      coverageOf('all', PROMISED, all),
      ...(['without', 'with'] as const).map((which) =>
        coverageOf(
          `${which} experts`,
          PROMISED,
          all.filter(({ experts }) => experts === (which === 'with')),
        ),
      ),
      ...linesOf(all, 'doublings', DOUBLINGS, doublingsOf),
      ...linesOf(all, 'in flight', LOADS, ({ load }) => load),
    ],
    heldOutPct: heldOut(all),
  }
}

/** One line up to each end; none where nothing is. */
function linesOf(
  all: readonly AtOtherLengths[],
  unit: string,
  ends: readonly number[],
  of: (at: AtOtherLengths) => number,
): readonly Coverage[] {
  return ends.flatMap((most, i) => {
    const least = ends[i - 1] ?? 0
    const inside = all.filter((at) => of(at) > least + 1e-9 && of(at) <= most + 1e-9)
    return inside.length === 0 ? [] : [coverageOf(`${unit}, over ${least} to ${most}`, PROMISED, inside)]
  })
}

const doublingsOf = ({ longer: { input, output } }: AtOtherLengths): number => Math.abs(input) + Math.abs(output)

/** How many times as wide, as logarithms, the bounds would have to be to hold what was measured just so. */
const neededOf = ({ predicted, measured, low, high }: Bounded): number =>
  measured < predicted
    ? Math.log(predicted / measured) / Math.log(predicted / low)
    : Math.log(measured / predicted) / Math.log(high / predicted)

/** The width that holds as many as are promised of one half of the servers, and how many it holds of the other half. */
function heldOut(all: readonly AtOtherLengths[]): OtherLengths['heldOutPct'] {
  const servers = [...new Set(all.map(({ server }) => server))].sort()
  const everySecond = new Set(servers.filter((_, i) => i % 2 === 0))
  const halves = [true, false].map((half) =>
    all
      .filter(({ server }) => everySecond.has(server) === half)
      .map(neededOf)
      .sort((a, b) => a - b),
  )
  const held = ([seen = [], unseen = []]: readonly (readonly number[])[]): number => {
    const width = percentile(seen, PROMISED) ?? 0
    return (100 * unseen.filter((needed) => needed <= width).length) / unseen.length
  }
  return [held(halves), held(halves.toReversed())]
}
