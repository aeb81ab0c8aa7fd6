/**
 * The real engine: what is right is what a fine grid of loads finds, each measured for a short while. The machine's speed is not the same
 * for half an hour, so a round over the whole grid stands before and after each search, and what lies between the two is right.
 *
 *     round   find at one floor   round   find at the next   round   …   round   sweep   round
 */
import type { Run } from '../../src/core/index.ts'
import { type FoundLoad, foundLoad, SHARE, type SweptFrontier, sweptFrontier } from './answers.ts'
import { measureRun, withServer } from './run.ts'

const LOADS = Array.from({ length: 14 }, (_, i) => i + 1)
export const MOST_SEQUENCES = 16
const GRID_WINDOW_S = 6
const LENGTHS = ['--input-tokens', 32, '--output-tokens', 48]
/** A floor lies halfway between the paces of such a load and the next one, as the first round saw them: no search is asked about an edge. */
const FLOORS_ABOVE = [3, 6, 10]

/** The pace of the typical request and that which nine in ten have at least, by load: tok/s/user. */
export type Round = readonly { readonly load: number; readonly typical: number; readonly slow: number }[]

export interface RealSearches {
  readonly rounds: readonly Round[]
  readonly finds: readonly FoundLoad[]
  readonly sweep: SweptFrontier
}

export function searchLlama(): Promise<RealSearches> {
  const engine = ['--engine', 'llama', '--threads', 1, '--max-num-seqs', MOST_SEQUENCES]
  return withServer(engine, async (url) => {
    const rounds: Round[] = []
    /** What a search gives, with the rounds on both sides of it. */
    const between = async (flags: readonly (string | number)[]): Promise<{ run: Run; around: readonly Round[] }> => {
      const run = await measureRun(url, [...flags, ...LENGTHS])
      rounds.push(await measureRound(url))
      return { run, around: rounds.slice(-2) }
    }
    const first = await measureRound(url)
    rounds.push(first)
    const finds: FoundLoad[] = []
    for (const load of FLOORS_ABOVE) {
      const floor = Number(floorAbove(first, load).toFixed(1))
      const { run, around } = await between(['--find', '--floor', floor, '--share', SHARE])
      const right = around.map((round) => greatestThatHolds(round, floor))
      const [least, most] = [Math.min(...right), Math.max(...right)]
      const find = foundLoad(run, floor, least, most)
      finds.push(find)
      process.stderr.write(`floor ${floor}: ${find.found} users; the grid before and after: ${least} to ${most}\n`)
    }
    const { run, around } = await between(['--sweep'])
    const sweep = sweptFrontier(run, (load) => {
      const seen = around.flatMap((round) => round.filter((at) => at.load === load).map(({ typical }) => typical))
      return seen.length === 0 ? undefined : [Math.min(...seen), Math.max(...seen)]
    })
    return { rounds, finds, sweep }
  })
}

async function measureRound(url: string): Promise<Round> {
  const run = await measureRun(url, ['--concurrency', LOADS.join(','), '--duration', `${GRID_WINDOW_S}s`, ...LENGTHS])
  return run.points.map(({ load, perUser, littlesLaw }) => ({
    load: load.value,
    typical: littlesLaw.decodeTokensPerSecondPerUser ?? Number.NaN,
    slow: perUser.tokensPerSecond.p10 ?? Number.NaN,
  }))
}

function floorAbove(round: Round, load: number): number {
  const [at, next] = [load, load + 1].map((each) => round.find((point) => point.load === each)?.slow ?? Number.NaN)
  return Math.sqrt((at ?? Number.NaN) * (next ?? Number.NaN))
}

/** The load below the first that misses. */
function greatestThatHolds(round: Round, floor: number): number {
  const missing = round.find(({ slow }) => slow < floor)
  return (missing?.load ?? LOADS.length + 1) - 1
}
