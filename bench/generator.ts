/**
 * How good is the load generator? It and two bare probes run in turn against a mock whose every token is known, each on one core, at
 * 64 to 4 096 streams of 50 tok/s and flooded. Writes bench/generator.json and the page made of it.
 *
 *   npm run bench:generator [-- --repeats 1] [--peer PATH/benchmark_serving.py [--python PYTHON]]
 *
 * Needs Linux, a C compiler and two cores that nobody else uses; what others used meanwhile is measured and printed beside the figures.
 */
import { parseArgs } from 'node:util'
import { undisturbed, watchCircumstances } from './circumstances.ts'
import { judge, tellMarks, worseThan } from './marks.ts'
import { writePage } from './page/page.ts'
import { samplePeer } from './peer.ts'
import {
  type FloodResult,
  type MeasureResult,
  type PacedResult,
  type PeerResult,
  readResult,
  taken,
  writeResult,
} from './results.ts'
import {
  FLOOD_STREAMS,
  GAP_MS,
  KINDS,
  type Kind,
  sampleFlood,
  sampleMeasure,
  samplePaced,
  TOKENS,
  TTFT_MS,
} from './sample.ts'

/** Streams, and how often each client is tried. The two loads that carry marks are tried five times. */
const PACED = [
  { streams: 64, repeats: 2 },
  { streams: 256, repeats: 5 },
  { streams: 1024, repeats: 5 },
  { streams: 4096, repeats: 2 },
] as const
const PACED_WINDOW_S = 3
/** One event in each HTTP chunk is what a server writes; sixteen is what a buffering proxy makes of it. */
const FLOODED = [
  { eventsPerChunk: 1, repeats: 3 },
  { eventsPerChunk: 16, repeats: 2 },
] as const
const FLOOD_WINDOW_S = 2

/** The most repeats of each sample: on a machine that is much disturbed, samples are taken again so often that all of them take a quarter of an hour. */
const { values: flags } = parseArgs({
  options: {
    repeats: { type: 'string', default: '9' },
    peer: { type: 'string' },
    python: { type: 'string', default: 'python3' },
  },
})
const MOST = Number(flags.repeats)

const say = (line: string): boolean => process.stderr.write(`${line}\n`)

/** Runs A B C A B C …, so that a busy minute of the machine falls on all alike. */
async function interleave<P extends { readonly repeats: number }, S>(
  plans: readonly P[],
  take: (plan: P, kind: Kind) => Promise<S>,
): Promise<Map<P, Map<Kind, S[]>>> {
  const taken = new Map(plans.map((plan) => [plan, new Map(KINDS.map((kind) => [kind, [] as S[]]))]))
  const most = Math.min(MOST, Math.max(...plans.map(({ repeats }) => repeats)))
  for (let round = 0; round < most; round++) {
    for (const [plan, byKind] of taken) {
      if (round >= plan.repeats) continue
      for (const [kind, samples] of byKind) samples.push(await take(plan, kind))
    }
  }
  return taken
}

async function measurePaced(): Promise<PacedResult[]> {
  const taken = await interleave(PACED, async ({ streams }, kind) => {
    const sample = await undisturbed(() => samplePaced(kind, streams, PACED_WINDOW_S))
    say(
      `${streams} streams, ${kind}: TTFT +${sample.ttftErrorP50Ms.toFixed(2)} ms, ITL p99 error ${sample.itlErrorP99Ms.toFixed(2)} ms, ` +
        `${sample.cpuUsPerEvent.toFixed(1)} us an event; mock late p99 ${sample.mock.lateMs.p99} ms`,
    )
    return sample
  })
  return [...taken].flatMap(([{ streams }, byKind]) =>
    [...byKind].map(([kind, samples]) => ({ streams, kind, samples })),
  )
}

async function measureFlooded(): Promise<FloodResult[]> {
  const taken = await interleave(FLOODED, async ({ eventsPerChunk }, kind) => {
    const sample = await undisturbed(() => sampleFlood(kind, eventsPerChunk, FLOOD_WINDOW_S))
    say(`flooded, ${eventsPerChunk} a chunk, ${kind}: ${(sample.eventsPerSecond / 1e6).toFixed(2)} M events/s`)
    return sample
  })
  return [...taken].flatMap(([{ eventsPerChunk }, byKind]) =>
    [...byKind].map(([kind, samples]) => ({ eventsPerChunk, streams: FLOOD_STREAMS, kind, samples })),
  )
}

async function measureMeasure(): Promise<MeasureResult[]> {
  const results: MeasureResult[] = []
  for (const { streams } of PACED) {
    const sample = await undisturbed(() => sampleMeasure(streams, PACED_WINDOW_S))
    say(
      `${streams} streams, measure: TTFT +${sample.ttftErrorP50Ms.toFixed(2)} ms, ITL p99 error ${sample.itlErrorP99Ms.toFixed(2)} ms, ` +
        `${sample.cpuUsPerEvent.toFixed(1)} us an event; ${sample.saturated ? `saturated: ${sample.why.join(', ')}` : 'not saturated'}`,
    )
    results.push({ streams, samples: [sample] })
  }
  return results
}

/** Where a peer is at hand it takes its turn on the same mock. */
async function measurePeer(): Promise<PeerResult[]> {
  const { peer: file, python } = flags
  if (file === undefined) return []
  const results: PeerResult[] = []
  for (const { streams } of PACED) {
    const sample = await undisturbed(async () => {
      const circumstances = watchCircumstances()
      const taken = await samplePeer({ file, python }, streams, { ttftMs: TTFT_MS, gapMs: GAP_MS, tokens: TOKENS })
      return { ...taken, circumstances: circumstances(taken.cpuS) }
    })
    say(
      `${streams} streams, benchmark_serving: TTFT ${sample.ttftP50Ms.toFixed(1)} ms for ${sample.trueTtftP50Ms.toFixed(1)}, ` +
        `ITL p99 ${sample.itlP99Ms.toFixed(1)} ms for ${sample.trueItlP99Ms.toFixed(1)}`,
    )
    results.push({ streams, sample })
  }
  return results
}

const startMs = performance.now()
const previous = readResult('generator')
const figures = { paced: await measurePaced(), flooded: await measureFlooded(), measured: await measureMeasure() }
const peers = await measurePeer()
const marks = judge(figures)
writeResult('generator', {
  ...taken(startMs, marks),
  worse: previous === undefined ? [] : worseThan(previous, figures),
  ...figures,
  ...(peers.length > 0 && { peers }),
})
writePage()
tellMarks(marks)
