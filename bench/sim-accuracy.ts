/**
 * How near does the simulator come to real servers, request by request? Reads bench/data, writes bench/sim-accuracy.json and
 * docs/reference/simulator-accuracy.md.
 *
 *   npm run bench:sim-accuracy
 *
 * Any other run of that kind is scored, and nothing written:
 *
 *   npm run bench:sim-accuracy -- --requests FILE.jsonl [--series FILE.csv] --max-num-seqs N --max-batched-tokens N
 *     [--kv-tokens N] [--block-tokens N] [--dp N] [--experts 8/128]
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { tellMarks } from './marks.ts'
import { scoresTable, writeSimAccuracyPage } from './page/sim-accuracy.ts'
import { writeResult } from './results.ts'
import { fittedScores, marksOf, publicRuns } from './sim/accuracy.ts'
import { parseRequests, parseSeries, serversOf } from './sim/recorded-run.ts'
import { simulatedSplits, splitMarks } from './sim/split-report.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string' },
    series: { type: 'string' },
    'max-num-seqs': { type: 'string' },
    'max-batched-tokens': { type: 'string', default: '2048' },
    'kv-tokens': { type: 'string' },
    'block-tokens': { type: 'string' },
    dp: { type: 'string' },
    experts: { type: 'string' },
  },
})

const whole = (name: keyof typeof values): number | undefined => {
  const text = values[name]
  if (text === undefined) return undefined
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${name} ${text}: a whole number above 0 is wanted`)
  return Number(text)
}

if (values.requests === undefined) {
  const runs = publicRuns()
  const splits = simulatedSplits()
  const marks = [...marksOf(runs), ...splitMarks(splits)]
  writeResult('sim-accuracy', { marks, runs, splits })
  writeSimAccuracyPage()
  tellMarks(marks)
} else {
  const maxNumSeqs = whole('max-num-seqs')
  if (maxNumSeqs === undefined) throw new Error('--max-num-seqs is missing')
  const [kvTokens, blockTokens, dataParallel] = (['kv-tokens', 'block-tokens', 'dp'] as const).map(whole)
  const [active, all] = values.experts?.split('/').map(Number) ?? []
  const scores = fittedScores({
    name: values.requests,
    requests: parseRequests(readFileSync(values.requests, 'utf8')),
    instants: values.series === undefined ? [] : parseSeries(readFileSync(values.series, 'utf8')),
    servers: serversOf({
      maxNumSeqs,
      maxBatchedTokens: whole('max-batched-tokens') ?? 2048,
      ...(kvTokens !== undefined && { kvTokens }),
      ...(blockTokens !== undefined && { blockTokens }),
      ...(dataParallel !== undefined && { dataParallel }),
    }),
    ...(active !== undefined && all !== undefined && { experts: { active, all } }),
  })
  process.stdout.write(`${scoresTable(scores)}\n`)
  tellMarks(marksOf(scores))
}
