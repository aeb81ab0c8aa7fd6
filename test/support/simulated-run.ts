import {
  type Hardware,
  type PointHeader,
  type RequestRecord,
  RUN_SCHEMA,
  type RunHeader,
} from '../../src/core/index.ts'

export interface SimulatedServer {
  /** Time of a step in which `batch` sequences get a token, `prefillTokens` of prompts mixed into it. Seconds. */
  stepS(batch: number, prefillTokens: number): number
  /** The most sequences in a step; more wait. */
  readonly slots?: number
}

export interface SimulatedLoad {
  readonly loads: readonly number[]
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** Requests that leave in a window, per unit of load. */
  readonly rounds?: number
  readonly hardware?: Hardware
  readonly engine?: string
}

/**
 * A closed loop against a server that works in steps: header and records as a run folder holds them. Every sequence in a step gets a
 * token at its end; whoever is done is replaced at once by a new request, which joins the next step if a slot is free.
 */
export function simulatedRun(
  server: SimulatedServer,
  load: SimulatedLoad,
): { header: RunHeader; records: RequestRecord[] } {
  const { loads, inputTokens = 64, outputTokens = 40, rounds = 16, hardware = {}, engine } = load
  const records: RequestRecord[] = []
  const points: PointHeader[] = []
  let startS = 0
  loads.forEach((value, point) => {
    const answers = closedLoop(server, { value, point, startS, inputTokens, outputTokens, rounds })
    records.push(...answers)
    const ends = answers.map((answer) => answer.endS).sort((a, b) => a - b)
    // The first round is ramp, the last is drain: the window lies between them.
    const window = { startS: ends[value - 1] ?? 0, endS: ends[ends.length - 2 * value] ?? 0 }
    points.push({ load: { kind: 'concurrency', value }, window: { ...window, steady: true, reasons: [] } })
    startS = (ends.at(-1) ?? 0) + 1
  })
  const header: RunHeader = {
    schema: RUN_SCHEMA,
    createdAt: '2026-01-01T00:00:00.000Z',
    twospeed: '0.0.0',
    target: { url: 'http://127.0.0.1:8000/v1', model: 'test-model', ...(engine !== undefined && { engine }) },
    hardware,
    workload: { inputTokens, outputTokens },
    points,
  }
  return { header, records }
}

interface Loop {
  readonly value: number
  readonly point: number
  readonly startS: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly rounds: number
}

function closedLoop(server: SimulatedServer, loop: Loop): RequestRecord[] {
  const { value, point, startS, inputTokens, outputTokens, rounds } = loop
  const done: RequestRecord[] = []
  let now = startS
  let sent = 0
  const send = (): { id: string; sentS: number; arrivalsUs: number[] } => ({
    id: `${point}-${sent++}`,
    sentS: now,
    arrivalsUs: [],
  })
  // Staggered lengths of the first round spread the ends, as in a steady loop.
  let waiting = Array.from({ length: value }, send)
  const active: (typeof waiting)[number][] = []
  while (done.length < (rounds + 3) * value) {
    const joining = waiting.slice(0, (server.slots ?? Number.POSITIVE_INFINITY) - active.length)
    waiting = waiting.slice(joining.length)
    active.push(...joining)
    now += server.stepS(active.length, joining.length * inputTokens)
    const nowUs = Math.round(now * 1e6)
    for (const request of [...active]) {
      request.arrivalsUs.push(nowUs)
      const length =
        sent <= value ? Math.ceil((outputTokens * (1 + active.indexOf(request))) / value) + 1 : outputTokens
      if (request.arrivalsUs.length < Math.min(length, outputTokens)) continue
      active.splice(active.indexOf(request), 1)
      done.push(record(request, point, inputTokens))
      waiting.push(send())
    }
  }
  return done
}

function record(
  { id, sentS, arrivalsUs }: { id: string; sentS: number; arrivalsUs: readonly number[] },
  point: number,
  inputTokens: number,
): RequestRecord {
  const [first = 0] = arrivalsUs
  const last = arrivalsUs.at(-1) ?? first
  return {
    id,
    point,
    sentS,
    firstTokenS: first / 1e6,
    lastTokenS: last / 1e6,
    endS: last / 1e6,
    outcome: 'ok',
    finishReason: 'length',
    inputTokens,
    outputTokens: arrivalsUs.length,
    tokenSource: 'usage',
    gapsUs: arrivalsUs.slice(1).map((at, i) => at - (arrivalsUs[i] ?? at)),
  }
}
