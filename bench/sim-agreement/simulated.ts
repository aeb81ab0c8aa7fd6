import { createPointMetrics, type Lengths, type Point, parseLengths, type RequestRecord } from '../../src/core/index.ts'
import { parseLaw } from '../../src/model/index.ts'
import { createSource, enginePolicy, type Fleet, lawStepTime, type Source, simulate } from '../../src/sim/index.ts'
import type { Measured } from './measured.ts'
import { type AgreementPlan, SEED } from './plan.ts'

/**
 * The same load through the simulator, and its figures over the very stretch of it that was measured: both drew the same lengths, arrivals
 * and pauses, so that what differs is time alone.
 */
export function simulated(plan: AgreementPlan, { point: { load, window }, records }: Measured): Point {
  const { source, originS } = sourceOf(plan, records)
  const users = plan.load.kind === 'concurrency' ? { users: plan.load.users } : {}
  const told: RequestRecord[] = []
  simulate({
    fleet: fleetOf(plan),
    lanes: [{ name: 'all', source, priority: 0, ...users }],
    load,
    // From where it opens, which is not before 0, past the end of what was measured.
    durationS: window.endS - originS,
    onRecord: (record) => told.push(record),
  })
  const here = (s: number): number => Math.round((s - originS) * 1e6) / 1e6
  const stretch = { ...window, startS: here(window.startS), endS: here(window.endS) }
  const metrics = createPointMetrics({ load, window: stretch }, { replicas: 1 })
  for (const record of told) metrics.add(record)
  return metrics.result()
}

function fleetOf({ law, maxNumSeqs, maxBatchedTokens, kvTokens }: AgreementPlan): Fleet {
  const policy = enginePolicy({
    ...(maxNumSeqs !== undefined && { maxNumSeqs }),
    ...(maxBatchedTokens !== undefined && { maxBatchedTokens }),
    ...(kvTokens !== undefined && { kvTokens }),
    // It holds room for prompt and answer from the start, to the token.
    kv: 'reserve',
    blockTokens: 1,
  })
  const stepTime = lawStepTime(parseLaw(law))
  return {
    pools: [{ name: 'main', role: 'both', replicas: 1, dataParallel: 1, policy, stepTime }],
    routing: 'roundRobin',
  }
}

/** `originS`: when, on the clock of the records, the simulator's reads 0. */
function sourceOf(plan: AgreementPlan, records: Measured['records']): { source: Source; originS: number } {
  const { load } = plan
  const common = {
    work: { input: lengthsOf(plan.inputTokens), output: lengthsOf(plan.outputTokens) },
    // Of the run's first point.
    seed: `${SEED}/0`,
  }
  const first = records[0]
  if (first === undefined) throw new Error('nothing was measured')
  if (load.kind === 'rate') {
    const process = { kind: 'poisson' } as const
    const source = createSource({ arrivals: { kind: 'rate', rate: load.perSecond, process }, ...common })
    return { source, originS: (first.scheduledS ?? first.sentS) - source.nextS }
  }
  const { users, thinkS } = load
  // How far apart users began is told by the first of them; later ones may have begun among second requests of the first.
  const few = Math.max(1, Math.floor(users / 4))
  const spreadS = users === 1 ? 0 : (((records[few]?.sentS ?? 0) - first.sentS) * users) / few
  const source = createSource({
    arrivals: { kind: 'users', users, spreadS },
    ...common,
    ...(thinkS !== undefined && { think: { meanS: thinkS, distribution: 'exponential' } }),
  })
  return { source, originS: first.sentS }
}

function lengthsOf(text: string): Lengths {
  const lengths = parseLengths(text)
  if (lengths === undefined) throw new Error(`${text} are no lengths`)
  return lengths
}
