/**
 * How good is the load generator? It and two bare probes run in turn against a mock whose every token is known, each on one core, at
 * 64 to 4 096 streams of 50 tok/s and flooded. Writes bench/generator.json and the page made of it.
 *
 *   npm run bench:generator [-- --repeats 1]
 *
 * Needs Linux, a C compiler and two cores that nobody else uses; what others used meanwhile is measured and printed beside the figures.
 */
import { parseArgs } from 'node:util'
import { undisturbed } from './circumstances.ts'
import { describeMachine } from './machine.ts'
import { judge, tellMarks, worseThan } from './marks.ts'
import { writePage } from './page/page.ts'
import { type FloodResult, type MeasureResult, type PacedResult, readResult, writeResult } from './results.ts'
import { FLOOD_STREAMS, KINDS, type Kind, sampleFlood, sampleMeasure, samplePaced } from './sample.ts'

/** Streams, and how often each client is tried. The two loads that carry marks are tried three times. */
const PACED = [
  { streams: 64, repeats: 2 },
  { streams: 256, repeats: 3 },
  { streams: 1024, repeats: 3 },
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
const MOST = Number(parseArgs({ options: { repeats: { type: 'string', default: '9' } } }).values.repeats)

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

const startMs = performance.now()
const previous = readResult('generator')
const figures = { paced: await measurePaced(), flooded: await measureFlooded(), measured: await measureMeasure() }
const marks = judge(figures)
writeResult('generator', {
  takenAt: new Date().toISOString(),
  seconds: Math.round((performance.now() - startMs) / 1000),
  machine: describeMachine(),
  marks,
  worse: previous === undefined ? [] : worseThan(previous, figures),
  ...figures,
})
writePage()
tellMarks(marks)
