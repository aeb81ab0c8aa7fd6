/** docs/reference/simulator-accuracy.md, made of what the bench has left. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { type RealRunScore, readResult, type SimAccuracyResult, type SimulatedSplitReport } from '../results.ts'
import type { FigureScore } from '../sim/score.ts'
import type { Speeds } from '../sim/split-pools.ts'
import { CROSSING } from '../sim/split-report.ts'
import { marksTable, table } from './markdown.ts'

const PAGE = new URL('../../docs/reference/simulator-accuracy.md', import.meta.url)

export function writeSimAccuracyPage(): void {
  const result = readResult('sim-accuracy')
  if (result === undefined) return
  mkdirSync(new URL('.', PAGE), { recursive: true })
  writeFileSync(PAGE, `${simAccuracyPage(result)}\n`)
}

const signed = (value: number, digits: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`

const NAMES = { ttft: 'TTFT', tpot: 'TPOT', e2e: 'end to end' } as const

export const scoresTable = (runs: readonly RealRunScore[]): string =>
  table(
    ['run', 'step times from', '', 'mean, measured', 'mean, simulated', 'mean', 'p50', 'p90', 'p99'],
    runs.flatMap(({ run, from, times }) =>
      times.map(({ time, mean, ...percentiles }) => {
        const off = ({ errorPct }: FigureScore): string => `${signed(errorPct, 1)} %`
        const told = (seconds: number): string =>
          time === 'tpot' ? `${(1000 * seconds).toFixed(1)} ms` : `${seconds.toFixed(2)} s`
        const { p50, p90, p99 } = percentiles
        return [run, from, NAMES[time], told(mean.measuredS), told(mean.simulatedS), ...[mean, p50, p90, p99].map(off)]
      }),
    ),
  )

function lawsTable(runs: readonly RealRunScore[]): string {
  const fitted = runs.flatMap(({ law, ...run }) => (law === undefined ? [] : [{ ...run, law }]))
  const ms = (seconds = 0): string => (1000 * seconds).toPrecision(3)
  return table(
    ['run', 'step times from', 'a, ms', 'b, ms', 'c, ms', 'd, ms', 'steps decided', 'preemptions'],
    fitted.map(({ run, from, law, asynchronous, preemptions }) => [
      run,
      from,
      ...[law.baseS, law.perSequenceS, law.perThousandKvTokensS, law.perPrefillTokenS].map(ms),
      asynchronous ? 'one ahead' : 'as they begin',
      String(preemptions),
    ]),
  )
}

function splitSection({ rows, crossings, ...errors }: SimulatedSplitReport): string {
  const percent = (value: number): string => `${value.toFixed(1)} %`
  const line = (name: string, { perUser, perGpu }: typeof errors.toPredicted): readonly string[] => [
    name,
    ...[perUser, perGpu].flatMap(({ medianPct, p90Pct, biasPct }) => [
      percent(medianPct),
      percent(p90Pct),
      `${signed(biasPct, 1)} %`,
    ]),
  ]
  const { model, gpu, replicas, tp, inputTokens, outputTokens } = CROSSING
  const speeds = ({ perUser, perGpu }: Speeds): string => `${perUser.toFixed(1)} · ${perGpu.toFixed(1)}`
  return `## Split pools

The ${rows} public runs of split pools that [the model](model-accuracy.md#split-pools) is held against, with the same step times from specifications, as closed loops of the simulator. Lengths are drawn evenly within a quarter of those
named, and an engine holds whole sequences. So what differs from \`predict\` is only what steps, queues and transfers do that its closed form leaves out.

${table(
  ['', 'pace: median', 'p90', 'bias', 'tok/s/GPU: median', 'p90', 'bias'],
  [
    line('simulated against predicted', errors.toPredicted),
    line('simulated against measured', errors.toMeasured),
    line('predicted against measured', errors.predictedToMeasured),
  ],
)}

Which layout gives more, and where that turns: ${model} in fp8 on ${replicas * tp} ${gpu}, as ${replicas} instances of TP ${tp} that do both, or half of them for each; prompts of ${inputTokens} tokens, answers of ${outputTokens}. Each cell is tok/s/user · tok/s/GPU.

${table(
  ['users', 'together, predicted', 'together, simulated', 'split, predicted', 'split, simulated', 'more tok/s/GPU'],
  crossings.map(({ users, predicted, simulated }) => [
    String(users),
    ...[predicted.together, simulated.together, predicted.split, simulated.split].map(speeds),
    simulated.split.perGpu > simulated.together.perGpu ? 'split' : 'together',
  ]),
)}`
}

function simAccuracyPage({ marks, runs, splits }: SimAccuracyResult): string {
  return `# How accurate the simulator is

The simulator held against real servers, request by request. \`npm run bench:sim-accuracy\` makes this page; do not edit it. The runs, their source and licence are in [bench/data](../../bench/data/README.md). No clock and no machine
has a part in these figures: they are the same wherever the command runs.

Two runs of vLLM 0.19, of the same 300 requests that come at 10 a second: on the RTX 4090 more than the KV cache holds, so that they queue for a minute and give way to one another; on the RTX PRO 6000 more than its 128 seats.
An error is simulated ÷ measured − 1.

${marksTable(marks)}

## Request by request

*Its first third*: a law fitted by simulation to the outcomes of the first hundred requests, told the arrivals and lengths of all. *Its series*: to what the server said of itself each second, and to no request. Both are scored on the
other two hundred. *Kernel tables*: nothing is fitted; steps are sums of published times of the GPU's kernels, alone, and all 300 are scored.

One number of the fit itself, how much a first token counts beside the times after it (0.1), was chosen with the scored requests of these runs and of two others in view, of three that were tried: 0.3, 0.1 and 0.03. These two runs hold their marks with each; another, of experts over two engines, missed the one of mean TTFT with 0.3 (5.0 %).

${scoresTable(runs)}

## The laws

Different laws give almost the same run, so none of these terms is a property of the GPU: what was judged is the outcome.

${lawsTable(runs)}

A step's a, b for each sequence, c for each thousand tokens of KV cache, d for each token of a prompt. Whether a server decides its steps one ahead is no part of what was told: the one that explains the outcomes better was taken.

Any other run of that kind, with the files as LLMServingSim's recorder of vLLM leaves them:

\`\`\`
npm run bench:sim-accuracy -- --requests requests.jsonl --series timeseries.csv --max-num-seqs 128 --max-batched-tokens 2048 --kv-tokens 41408 --dp 2
\`\`\`

${splitSection(splits)}`
}
