import type { BatchedStep, LlamaServerResult, PaceResult } from '../results.ts'
import { marksTable, table, whereAndWhen } from './markdown.ts'

const ms = (value: number): string => value.toFixed(2)
const percent = (value: number): string => `${(value * 100).toFixed(2)} %`

/**
 * Where a token's time goes that llama-batched-bench does not count. In a closed loop of C users each of the others ends and begins
 * once while one user's N tokens are made, so C − 1 prompts are read in between, on the same thread: (C − 1)·prompt/N a token.
 */
function gapRow(pace: PaceResult, step: BatchedStep, outputTokens: number): readonly string[] {
  const prompts = ((pace.concurrency - 1) * step.promptMs) / outputTokens
  const rest = pace.serverTpotMs - step.stepMs - prompts
  return [
    String(pace.concurrency),
    ms(pace.serverTpotMs),
    ms(step.stepMs),
    ms(pace.serverTpotMs - step.stepMs),
    ms(prompts),
    ms(rest),
    percent(rest / step.stepMs),
  ]
}

export function llamaServerSection(result: LlamaServerResult): string {
  const { plan, pace, batchedBench, capped, serverLimit, machine, takenAt, seconds, marks } = result
  const { inputTokens, outputTokens, contextTokens, slots, cappedSlots } = plan
  const loads = pace.map(({ concurrency }) => concurrency).join(',')
  const gaps = pace.flatMap((point) => {
    const step = batchedBench.find(({ batch }) => batch === point.concurrency)
    return step === undefined ? [] : [gapRow(point, step, outputTokens)]
  })
  return `## Against llama-server

\`npm run bench:llama-server -- --server …/llama-server --batched-bench …/llama-batched-bench\` (${seconds} s). ${whereAndWhen(machine, takenAt)} llama-server ${result.engine}; ${result.model}.

An engine and a server that are not ours. llama-server puts into the last chunk of every answer how long it took itself; a relay on the way reads that along, and it is held against the record of the same request.
\`measure\` has one core and llama-server the other; others used ${result.circumstances.othersCores.toFixed(2)} cores meanwhile.

\`\`\`
llama-server -m MODEL.gguf -np ${slots} -t 1 -c ${contextTokens} --temp 0
twospeed measure URL --concurrency ${loads} --input-tokens ${inputTokens} --output-tokens ${outputTokens} --duration ${plan.windowS}s --gpus 1
llama-batched-bench -m MODEL.gguf -c ${contextTokens} -npp ${inputTokens} -ntg ${outputTokens} -npl ${loads} -t 1
\`\`\`

${marksTable(marks)}

### A request's pace, measured and as the server counts it

${table(
  [
    'load',
    'requests',
    'TPOT measured, ms',
    "the server's, ms",
    'difference of a request, median',
    'p99',
    'decode in flight',
    'steady',
  ],
  pace.map((point) => [
    String(point.concurrency),
    String(point.requests),
    ms(point.tpotMs),
    ms(point.serverTpotMs),
    percent(point.errorP50),
    percent(point.errorP99),
    point.decodeInFlight.toFixed(2),
    point.steady ? 'yes' : point.reasons.join(', '),
  ]),
)}

### The gap to llama-batched-bench

It times the same engine's decode steps without a server: no sampling, no text, no HTTP, all sequences in step, and no prompt between. A served token takes longer. In a closed loop of C users the C − 1 others each
end and begin once while one user's N tokens are made, and their prompts are read on the same thread in between: (C − 1) × prompt ÷ N a token. What is left is sampling, text, JSON and HTTP for C tokens a step, and steps
that carry fewer sequences than C. The server's own HTTP threads share its core with the decode; llama-batched-bench has that core to itself.

${table(['load', "the server's TPOT, ms", 'bare step, ms', 'gap, ms', 'of it prompts, ms', 'rest, ms', 'rest ÷ step'], gaps)}

### A server that caps its batch

\`llama-server … -np ${cappedSlots}\`: ${cappedSlots} slots, whatever the load. Beyond them users wait for a slot, which is time to first token, not pace. The fit says ${
    serverLimit === undefined ? 'nothing of a limit' : `that the server decodes ${serverLimit.toFixed(1)} at once`
  }.

${table(
  ['load', 'tok/s/user p50', 'output tok/s', 'TTFT p50, ms', 'in flight', 'decode in flight'],
  capped.map((point) => [
    String(point.concurrency),
    point.tokensPerSecondPerUser.toFixed(1),
    point.outputTokensPerSecond.toFixed(0),
    point.ttftMs.toFixed(0),
    point.inFlight.toFixed(2),
    point.decodeInFlight.toFixed(2),
  ]),
)}`
}
