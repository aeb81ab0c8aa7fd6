/**
 * Another load generator against the same mock, on one core like ours: `benchmark_serving.py` of the vLLM lineage, as InferenceX runs it
 * (https://github.com/SemiAnalysisAI/InferenceX, utils/bench_serving). It reports percentiles of everything it sent and no request ids,
 * so its figures are held against the same percentiles of the mock's log.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { percentiles } from './figures.ts'
import { startMock } from './mock.ts'
import { CLIENT_CORE, runPinned } from './processes.ts'
import type { TruthLine } from './truth.ts'

export interface PeerProgram {
  /** Path of benchmark_serving.py; what it imports lies beside it. */
  readonly file: string
  /** A Python that has aiohttp, numpy and tqdm. */
  readonly python: string
}

export interface PeerSample {
  readonly requests: number
  readonly ttftP50Ms: number
  readonly trueTtftP50Ms: number
  readonly itlP50Ms: number
  readonly itlP99Ms: number
  readonly trueItlP99Ms: number
  readonly tokensPerSecond: number
  /** Of its whole run: what the mock wrote from the first request to the last token. */
  readonly trueTokensPerSecond: number
  readonly cpuUsPerEvent: number
  /** Of the peer and the mock. */
  readonly cpuS: number
}

interface Report {
  readonly completed: number
  readonly median_ttft_ms: number
  readonly median_itl_ms: number
  readonly p99_itl_ms: number
  readonly output_throughput: number
  readonly total_output_tokens: number
}

const scratch = mkdtempSync(join(tmpdir(), 'twospeed-bench-'))
const STAND_INS = fileURLToPath(new URL('peers', import.meta.url))
/** Requests of each stream: what its users are told to send. */
const ROUNDS = 3

export async function samplePeer(
  { file, python }: PeerProgram,
  streams: number,
  plan: { readonly ttftMs: number; readonly gapMs: number; readonly tokens: number },
): Promise<PeerSample> {
  const mock = await startMock({ ttftMs: plan.ttftMs, gapMs: plan.gapMs, lateHead: true })
  const settings = {
    backend: 'openai-chat',
    'base-url': mock.url,
    endpoint: '/v1/chat/completions',
    model: 'mock',
    tokenizer: 'mock',
    'dataset-name': 'random',
    'random-input-len': 32,
    'random-output-len': plan.tokens,
    'random-range-ratio': 1,
    'num-prompts': ROUNDS * streams,
    'max-concurrency': streams,
    'percentile-metrics': 'ttft,tpot,itl,e2el',
    'metric-percentiles': '50,99',
    'result-dir': scratch,
    'result-filename': 'peer.json',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
  const paths = [dirname(file), ...(hasTransformers(python) ? [] : [STAND_INS])].join(':')
  const client = await runPinned(CLIENT_CORE, [
    'env',
    `PYTHONPATH=${paths}`,
    python,
    file,
    ...flags,
    '--ignore-eos',
    '--disable-tqdm',
    '--save-result',
  ])
  const { truth, cpuS } = await mock.stop()
  const report = JSON.parse(readFileSync(join(scratch, 'peer.json'), 'utf8')) as Report
  const lines = [...truth.values()]
  const trueTtft = percentiles(lines.map(({ receivedNs, tokenNs }) => ((tokenNs[0] ?? Number.NaN) - receivedNs) / 1e6))
  const trueItl = percentiles(
    lines.flatMap(({ tokenNs }) => tokenNs.slice(1).map((ns, i) => (ns - (tokenNs[i] ?? 0)) / 1e6)),
  )
  return {
    requests: report.completed,
    ttftP50Ms: report.median_ttft_ms,
    trueTtftP50Ms: trueTtft(50),
    itlP50Ms: report.median_itl_ms,
    itlP99Ms: report.p99_itl_ms,
    trueItlP99Ms: trueItl(99),
    tokensPerSecond: report.output_throughput,
    trueTokensPerSecond: rateOf(lines),
    cpuS: client.cpuS + cpuS,
    cpuUsPerEvent: (client.cpuS / report.total_output_tokens) * 1e6,
  }
}

function rateOf(lines: readonly TruthLine[]): number {
  let [first, last, tokens] = [Number.POSITIVE_INFINITY, 0, 0]
  for (const { receivedNs, tokenNs } of lines) {
    first = Math.min(first, receivedNs)
    last = Math.max(last, tokenNs.at(-1) ?? 0)
    tokens += tokenNs.length
  }
  return tokens / ((last - first) / 1e9)
}

const hasTransformers = (python: string): boolean =>
  spawnSync(python, ['-c', 'import transformers, huggingface_hub'], { stdio: 'ignore' }).status === 0
