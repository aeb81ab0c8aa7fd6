import { median } from '../marks.ts'
import type { SimSpeedResult } from '../results.ts'
import { marksTable, spread, table, whereAndWhen } from './markdown.ts'

const count = (value: number): string => value.toLocaleString('en')
const us = (seconds: number, requests: number): string => ((1e6 * seconds) / requests).toFixed(1)

export function simSpeedSection(result: SimSpeedResult): string {
  const { hour, fleets, frontiers, growth, vidur, machine, takenAt, seconds, marks } = result
  return `## How long the simulator takes

\`npm run bench:sim-speed\` (${seconds} s). ${whereAndWhen(machine, takenAt)}

On one core, each in a process of its own. A time is the median of the repeats, and their span; the longest is the first one of a process, before anything is compiled; frontiers are of three processes and three browsers, in turn. The hour is the conversation service of
[Azure's trace of 2023](../../bench/data/README.md); all others are requests of about its lengths.

${marksTable(marks)}

${table(
  ['', 'requests', 'seconds', 'µs/request', 'most memory, MB'],
  [
    [
      `An hour of chat, ${hour.replicas} replicas`,
      count(hour.requests),
      spread(hour.seconds, 3),
      us(median(hour.seconds), hour.requests),
      '',
    ],
    ...fleets.map((fleet) => [
      `${count(fleet.replicas)} replicas, 10 requests/s each`,
      count(fleet.requests),
      fleet.seconds.toFixed(1),
      us(fleet.seconds, fleet.requests),
      fleet.peakRssMB.toFixed(0),
    ]),
    ...frontiers.map(({ where, loads, requests, seconds: each }) => [
      `A frontier of ${loads} loads, in ${where}`,
      count(loads * requests),
      spread(each, 2),
      us(median(each), loads * requests),
      '',
    ]),
  ],
)}

How the cost of a request grows, in µs, everything counted from its arrival to the figures:

${growth
  .map(({ what, points }) =>
    table(
      [what, ...points.map(({ value }) => count(value))],
      [['µs/request', ...points.map(({ usPerRequest }) => usPerRequest.toFixed(1))]],
    ),
  )
  .join('\n\n')}${vidur === undefined ? '' : `\n\n${besideVidur(vidur)}`}`
}

function besideVidur({ requests, outputTokens, vidurS, seconds }: NonNullable<SimSpeedResult['vidur']>): string {
  const ours = median(seconds)
  return `Beside [Vidur](https://github.com/microsoft/vidur) at 7d475133, on the first ${count(requests)} requests of that hour (${count(outputTokens)} output tokens): eight replicas in turn, at most 128 sequences and 512 tokens a step,
an 8B model on an A100 from specifications. Of Vidur only its simulation counts, in CPU time, not what it reads and trains before (half a minute the first time). Its table of attention is a stand-in, so its predictions are not compared.

${table(
  ['', 'seconds', 'µs/request', 'µs/output token'],
  [
    ['Vidur', vidurS.toFixed(1), us(vidurS, requests), us(vidurS, outputTokens)],
    ['twospeed', spread(seconds, 4), us(ours, requests), ((1e6 * ours) / outputTokens).toFixed(3)],
  ],
)}`
}
