import { counted, figure, percent, type Run } from '../core/index.ts'

type Told = Readonly<Record<string, unknown>>

/** What was asked of the server, as far as the run says it: lengths or their source, what prompts share, and how requests came. */
export function workloadParts({ workload, points }: Pick<Run, 'workload' | 'points'>): readonly string[] {
  if (Array.isArray(workload.lanes)) return [workload.lanes.map(laneName).join('; ')]
  return [
    ...lengths(workload),
    ...shared(workload),
    ...arrivals(workload, points[0]?.load.kind),
    ...played(workload.curve, points),
  ]
}

/** `lane chat of 5/s: 512 tokens in, 128 out`; of a lane that takes its load from elsewhere without it. */
function laneName(lane: Told): string {
  const { kind, value } = (typeof lane.load === 'object' && lane.load !== null ? lane.load : {}) as Told
  const amount = figure(Number(value))
  const load =
    kind === 'rate' ? ` of ${amount}/s` : kind === 'concurrency' ? ` of ${counted(Number(value), 'user')}` : ''
  return `lane ${lane.name}${load}: ${[...lengths(lane), ...shared(lane)].join(', ')}`
}

/** Of a curve how much was played, where that is not all of it. */
function played(curve: unknown, points: Run['points']): readonly string[] {
  if (!Array.isArray(curve)) return []
  const dayS = Number((curve.at(-1) as Told | undefined)?.atS)
  const lengthS = Math.min(...points.map(({ window }) => window.endS - window.startS))
  const whole = `a curve of ${inHours(dayS)}`
  return [lengthS < 0.99 * dayS ? `${whole}, of which ${inHours(lengthS)} were played: loads are of that part` : whole]
}

function inHours(seconds: number): string {
  if (seconds >= 3600) return `${figure(seconds / 3600)} h`
  return seconds >= 60 ? `${figure(seconds / 60)} min` : `${figure(seconds)} s`
}

function lengths(workload: Told): readonly string[] {
  const { inputTokens, outputTokens, prompts, promptCount, trace, pairs } = workload
  const out = length(outputTokens)
  if (typeof trace === 'object' && trace !== null) return [traceName(trace as Told)]
  if (typeof prompts === 'string') {
    const answers = out === undefined ? 'answers as long as the model makes them' : `${out} out`
    return [`${some(promptCount, 'prompt')} of ${prompts}, ${answers}`]
  }
  if (typeof workload.lengths === 'string') {
    return [`${some(pairs, 'pair')} of lengths of ${workload.lengths}${means(workload)}`]
  }
  const input = length(inputTokens)
  return input === undefined || out === undefined ? [] : [`${input} tokens in, ${out} out${means(workload)}`]
}

/** A plain length is a number, a distribution the text that was given. */
function length(value: unknown): string | undefined {
  if (typeof value === 'number') return figure(value)
  return typeof value === 'string' ? value : undefined
}

const some = (count: unknown, what: string): string => (typeof count === 'number' ? counted(count, what) : `${what}s`)

function means({ meanInputTokens: input, meanOutputTokens: output }: Told): string {
  return typeof input === 'number' && typeof output === 'number'
    ? ` (on average ${figure(input)} in, ${figure(output)} out)`
    : ''
}

function traceName(trace: Told): string {
  const { path, speedup, requests } = trace
  const speed = typeof speedup === 'number' && speedup !== 1 ? `, played ${figure(speedup)} times as fast` : ''
  const name = typeof path === 'string' ? ` ${path}` : ''
  return `trace${name}: ${some(requests, 'request')}${speed}${means(trace)}`
}

function shared({ turns, prefixShare, prefixes }: Told): readonly string[] {
  const texts = typeof prefixes === 'number' && prefixes > 1 ? `one of ${figure(prefixes)} texts` : 'one text'
  return [
    ...(typeof turns === 'number' && turns > 1 ? [`conversations of ${figure(turns)} turns`] : []),
    ...(typeof prefixShare === 'number' ? [`${percent(prefixShare)} of a prompt is ${texts} that others share`] : []),
  ]
}

function arrivals({ loop, arrivals, think }: Told, kind: Run['points'][number]['load']['kind'] | undefined): string[] {
  if (loop === 'closed' || (loop === undefined && kind === 'concurrency')) {
    const { meanS } = (typeof think === 'object' && think !== null ? think : {}) as Told
    return [typeof meanS === 'number' ? `closed loop, users think ${figure(meanS)} s` : 'closed loop']
  }
  if (loop !== 'open' && kind !== 'rate') return []
  const process = (typeof arrivals === 'object' && arrivals !== null ? arrivals : {}) as Told
  switch (process.kind) {
    case 'constant':
      return ['open loop, arrivals at equal distances']
    case 'gamma':
      return [`open loop, Gamma arrivals of burstiness ${figure(Number(process.burstiness))}`]
    case 'poisson':
      return ['open loop, Poisson arrivals']
    default:
      return ['open loop']
  }
}
