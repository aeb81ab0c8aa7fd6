import type { CellCounts } from './cells.ts'
import { createGoodput } from './goodput.ts'
import { heldTime } from './held-time.ts'
import { holds, type Span, toMicros } from './instants.ts'
import { createLittlesLaw } from './littles-law.ts'
import { createLongSamples } from './long-samples.ts'
import { createPaceMeter, type PaceMeter } from './pace.ts'
import { createPlacedSamples } from './placed-samples.ts'
import type { RequestRecord } from './record.ts'
import { createRequestCounts } from './request-counts.ts'
import type { Generator, Hardware, LittlesLaw, Objectives, Point, PointHeader, Trend, Window } from './run.ts'
import { intervalsOf, trendsOf } from './steadiness.ts'
import { isOfSeveral, type Stream, type TokensInside, type TokenTimes } from './stream.ts'
import { given, latencySummary, latencySummaryIfAny, speedSummary } from './summary.ts'
import { createTokenMeter, perGpuOf } from './tokens.ts'

/** Every figure of a point but those that are told by cells. */
export interface PointMeters {
  /**
   * A record, its stream if it has one, and how many of its tokens lie within the window. `counted`: its gaps are told apart, and only a
   * pace that is to be held asks for them.
   */
  add(record: RequestRecord, stream: Stream | undefined, inside: TokensInside, counted?: TokenTimes): void
  readonly gaps: PaceMeter['gaps']
  result(header: PointHeader, cells: CellCounts): Point
}

/**
 * The window's end may be set later, before anything is added that ends after it. Of a simulation, what was refused held no place, and who
 * came before the window and got no answer in all of it is no less unserved than one who came later: it counts as one that began inside.
 */
export function createPointMeters(
  window: Span,
  hardware: Hardware,
  objectives: Objectives | undefined,
  isSimulated: boolean,
): PointMeters {
  const requests = createRequestCounts()
  const tokens = createTokenMeter(window)
  const law = createLittlesLaw(window)
  const goodput = createGoodput(objectives)
  const pace = createPaceMeter()
  const ttft = createPlacedSamples()
  const ttftFromScheduled = createLongSamples()
  const endToEnd = createLongSamples()
  const endToEndSpeed = createLongSamples()
  const connect = createLongSamples()
  const late = createLongSamples()
  const held = { judgedUs: 0, heldUs: 0 }
  const length = { asked: 0, counted: 0 }
  let severalChoices = false

  const addFelt = (record: RequestRecord, stream: Stream | undefined, counted: TokenTimes | undefined): void => {
    if (record.connectMs !== undefined) connect.push(record.connectMs * 1000)
    if (stream === undefined) return
    const sentUs = toMicros(record.sentS)
    ttft.push(stream.firstUs - sentUs, sentUs)
    if (record.scheduledS !== undefined) ttftFromScheduled.push(stream.firstUs - toMicros(record.scheduledS))
    if (isOfSeveral(record)) {
      severalChoices = true
      return
    }
    pace.add(stream, sentUs)
    if (counted === undefined) pace.gaps.add(stream)
    if (objectives?.tokensPerSecond === undefined) return
    const time = heldTime(stream, objectives.tokensPerSecond, counted?.gapsUs())
    held.judgedUs += time.judgedUs
    held.heldUs += time.heldUs
  }

  const addDone = (record: RequestRecord, stream: Stream | undefined): void => {
    const sentUs = toMicros(record.sentS)
    endToEnd.push(toMicros(record.endS) - sentUs)
    if (stream !== undefined && !isOfSeveral(record) && stream.lastUs > sentUs) {
      endToEndSpeed.push((record.outputTokens * 1e6) / (stream.lastUs - sentUs))
    }
    if (record.askedOutputTokens !== undefined) {
      length.asked += record.askedOutputTokens
      length.counted += record.outputTokens
    }
  }

  return {
    add: (record, stream, inside, counted) => {
      if (record.outcome === 'dropped') {
        if (!holds(window, toMicros(record.scheduledS ?? record.sentS))) return
        requests.add(record)
        goodput.add(record, undefined)
        return
      }
      const sentUs = toMicros(record.sentS)
      const endUs = toMicros(record.endS)
      const isRefused = isSimulated && record.outcome === 'failed' && endUs === sentUs
      if (!isRefused) law.add(record, stream, inside)
      tokens.add(record, stream, inside)
      if (!holds(window, sentUs)) {
        const isUnserved = record.error?.kind === 'timeout' && sentUs < window.endUs && endUs >= window.endUs
        if (!isSimulated || !isUnserved) return
        requests.add(record)
        goodput.add(record, undefined)
        return
      }
      requests.add(record)
      goodput.add(record, stream)
      if (record.scheduledS !== undefined) late.push(toMicros(record.sentS) - toMicros(record.scheduledS))
      if (record.outcome !== 'failed') addFelt(record, stream, counted)
      if (record.outcome === 'ok') addDone(record, stream)
    },
    gaps: pace.gaps,
    result: (header, cells) => {
      const windowS = (window.endUs - window.startUs) / 1e6
      const littlesLaw = law.result()
      const total = tokens.result()
      const outputTokensPerSecond = total.output / windowS
      // The load of a trace is not held, so what it brings need not be either.
      const trends = header.load.kind === 'trace' ? [] : trendsOf(cells, header.window)
      const isCut = header.load.kind === 'trace' && windowS < LEAST_TURNS * ((endToEnd.mean() ?? 0) / 1e6)
      const { tpotMs, tpotAfterFirstEventMs, itlMs, itlPerTokenMs } = pace.latency()
      const notes = [
        ...(length.counted < 0.98 * length.asked ? ['outputShortfall'] : []),
        ...(pace.firstEventBundled() ? ['firstEventBundled'] : []),
        ...(severalChoices ? ['severalChoices'] : []),
      ]
      return given<Point>({
        load: header.load,
        repeat: header.repeat,
        window: judgedWindow(header.window, littlesLaw, trends, isCut),
        requests: requests.result(),
        tokens: total,
        perUser: given<Point['perUser']>({
          tokensPerSecond: pace.tokensPerSecond(),
          endToEndTokensPerSecond: speedSummary(endToEndSpeed),
          heldShare: held.judgedUs === 0 ? undefined : held.heldUs / held.judgedUs,
        }),
        goodput: goodput.result(windowS),
        perGpu: perGpuOf(total, windowS, hardware),
        outputTokensPerSecond,
        latency: given<Point['latency']>({
          ttftMs: latencySummary(ttft),
          ttftFromScheduledMs: latencySummaryIfAny(ttftFromScheduled),
          tpotMs,
          tpotAfterFirstEventMs,
          itlMs,
          itlPerTokenMs,
          e2eMs: latencySummary(endToEnd),
          connectMs: latencySummaryIfAny(connect),
        }),
        littlesLaw,
        intervals: isCut
          ? undefined
          : intervalsOf(cells, { outputTokensPerSecond, littlesLaw }, pace.intervals(cells.cellOf), ttft),
        trends: trends.length === 0 ? undefined : trends,
        simulation: header.simulation,
        generator: given<Generator>({ ...header.generator, lateMs: latencySummaryIfAny(late) }),
        notes: notes.length === 0 ? undefined : notes,
      })
    },
  }
}

/** Reasons that follow from the records are found anew; those that only the runner could know are kept as stored. */
const FROM_RECORDS = ['littlesLaw', 'empty', 'trend']

/**
 * Of a trace, in mean times in system. It starts empty: in a shorter one its end cuts over 5 % of L, however well it went, and its figures
 * scatter by how it filled the server.
 */
const LEAST_TURNS = 20

function judgedWindow(
  { startS, endS, ...stored }: Window,
  { inFlight, residual }: LittlesLaw,
  trends: readonly Trend[],
  isCut: boolean,
): Window {
  const reasons = stored.reasons.filter((reason) => !FROM_RECORDS.includes(reason))
  if (isCut && !reasons.includes('windowTooShort')) reasons.push('windowTooShort')
  if (inFlight === 0) reasons.push('empty')
  if (!isCut && residual !== undefined && Math.abs(residual) > 0.05) reasons.push('littlesLaw')
  if (trends.length > 0) reasons.push('trend')
  return { startS, endS, steady: reasons.length === 0, reasons }
}
