/** Runs of real servers, request by request, as LLMServingSim's recorder of vLLM leaves them. */
import type { ObservedInstant, ObservedRequest, ReplayServer } from '../../src/sim/index.ts'

/** Every request of it has ended. */
export type Answered = Required<ObservedRequest>

export interface RecordedRun {
  readonly name: string
  readonly requests: readonly Answered[]
  readonly instants: readonly ObservedInstant[]
  /** How it may have worked. */
  readonly servers: readonly ReplayServer[]
  readonly experts?: { readonly active: number; readonly all: number }
}

interface Line {
  readonly input_toks: number
  readonly output_toks: number
  readonly arrival_time: number
  readonly queued_ts: number
  readonly first_token_ts: number
  readonly last_token_ts: number
}

/**
 * Requests in order of arrival, from that of the first. They are told to come by the wall clock, and to be queued, when the engine next
 * looks, by the engine's own: the least of the differences is that of the clocks. A request comes when it is sent, and waits for the
 * engine to look as it would for any step.
 */
export function parseRequests(text: string): readonly Answered[] {
  const lines = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line, i) => lineOf(JSON.parse(line), i))
  const apart = Math.min(...lines.map(({ arrival_time, queued_ts }) => queued_ts - arrival_time))
  const sorted = lines.toSorted((a, b) => a.arrival_time - b.arrival_time)
  const startS = (sorted[0]?.arrival_time ?? 0) + apart
  return sorted.map((line) => ({
    atS: line.arrival_time + apart - startS,
    promptTokens: line.input_toks,
    outputTokens: line.output_toks,
    outcome: { firstTokenS: line.first_token_ts - startS, lastTokenS: line.last_token_ts - startS },
  }))
}

function lineOf(json: unknown, index: number): Line {
  const line = json as Line
  const keys = ['input_toks', 'output_toks', 'arrival_time', 'queued_ts', 'first_token_ts', 'last_token_ts'] as const
  const missing = keys.filter((key) => !Number.isFinite(line?.[key]))
  if (missing.length > 0) throw new Error(`line ${index + 1} of the requests has no number under ${missing.join(', ')}`)
  return line
}

/** Throughputs are per second, of the seconds since the row before; rows without work are left out of the file. */
export function parseSeries(text: string): readonly ObservedInstant[] {
  const [header = '', ...lines] = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const keys = header.split(',').map((key) => key.trim())
  const wanted = ['t', 'prompt_throughput', 'gen_throughput', 'running', 'waiting']
  const missing = wanted.filter((key) => !keys.includes(key))
  if (missing.length > 0) throw new Error(`the series has no column ${missing.join(', ')}`)
  const rows = lines.map((line) => {
    const cells = line.split(',').map(Number)
    return wanted.map((key) => cells[keys.indexOf(key)] ?? 0)
  })
  const tickS = Math.min(...rows.map(([t = 0], i) => t - (rows[i - 1]?.[0] ?? 0)))
  return rows.map(([atS = 0, prompt = 0, output = 0, running = 0, waiting = 0]) => ({
    atS,
    promptTokens: prompt * tickS,
    outputTokens: output * tickS,
    running,
    waiting,
  }))
}

export interface ServerFacts {
  readonly maxNumSeqs: number
  readonly maxBatchedTokens: number
  /** Absent: never full. */
  readonly kvTokens?: number
  readonly blockTokens?: number
  readonly dataParallel?: number
}

/** vLLM V1 as it comes: chunks, a prefix cache, whole prompts admitted. Whether it decides steps ahead a run does not always say. */
export function serversOf({
  maxNumSeqs,
  maxBatchedTokens,
  kvTokens = Number.POSITIVE_INFINITY,
  blockTokens = 16,
  dataParallel = 1,
}: ServerFacts): readonly ReplayServer[] {
  return [true, false].map((asynchronous) => ({
    dataParallel,
    policy: {
      maxNumSeqs,
      maxBatchedTokens,
      kvTokens,
      blockTokens,
      prefill: 'chunked',
      kv: 'preempt',
      admission: 'fcfs',
      asynchronous,
      // Without a limit nothing is ever lost that it could give back, and these prompts share no beginnings.
      prefixCache: kvTokens !== Number.POSITIVE_INFINITY,
      wholePrompt: true,
    },
  }))
}
