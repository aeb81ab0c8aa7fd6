import type { GeneratorResult, Worse } from '../results.ts'
import { FLOOD_STREAMS, GAP_MS, type MeasureSample, type PacedSample, TOKENS, TTFT_MS } from '../sample.ts'
import { marksTable, spread, table, whereAndWhen } from './markdown.ts'

const NAMES = { undici: 'probe: undici', socket: 'probe: socket', twospeed: 'twospeed client' } as const

interface Column<S> {
  readonly head: string
  readonly digits: number
  value(sample: S): number
}

const ACCURACY: readonly Column<PacedSample>[] = [
  { head: 'TTFT error p50, ms', digits: 2, value: (s) => s.ttftErrorP50Ms },
  { head: 'p99', digits: 1, value: (s) => s.ttftErrorP99Ms },
  { head: 'ITL error p50, ms', digits: 2, value: (s) => s.itlErrorP50Ms },
  { head: 'p99', digits: 2, value: (s) => s.itlErrorP99Ms },
  { head: 'max', digits: 0, value: (s) => s.itlErrorMaxMs },
  { head: 'ITL p99 reported, ms', digits: 1, value: (s) => s.itlP99Ms },
  { head: 'it was', digits: 1, value: (s) => s.trueItlP99Ms },
  { head: 'bunched', digits: 3, value: (s) => s.bunched },
]

const COST: readonly Column<PacedSample>[] = [
  { head: 'events/s', digits: 0, value: (s) => s.eventsPerSecond },
  { head: 'CPU an event, µs', digits: 1, value: (s) => s.cpuUsPerEvent },
  { head: 'cores', digits: 2, value: (s) => s.cores },
  { head: 'peak memory, MB', digits: 0, value: (s) => s.peakRssMB },
  { head: 'mock late p99, ms', digits: 2, value: (s) => s.mock.lateMs.p99 },
  { head: 'mock busy', digits: 2, value: (s) => s.mock.busy },
  { head: 'others, cores', digits: 2, value: (s) => s.circumstances.othersCores },
  { head: 'core speed', digits: 0, value: (s) => s.circumstances.coreSpeed },
]

interface Line {
  readonly streams: number
  readonly name: string
  readonly samples: readonly PacedSample[]
}

function pacedTable(lines: readonly Line[], columns: readonly Column<PacedSample>[]): string {
  return table(
    ['streams', 'client', ...columns.map(({ head }) => head)],
    lines.map(({ streams, name, samples }) => [
      String(streams),
      name,
      ...columns.map(({ digits, value }) => spread(samples.map(value), digits)),
    ]),
  )
}

function floodTable(result: GeneratorResult): string {
  return table(
    ['events a chunk', 'client', 'M events/s', 'CPU an event, µs', 'peak memory, MB', 'others, cores'],
    result.flooded.map(({ eventsPerChunk, kind, samples }) => [
      String(eventsPerChunk),
      NAMES[kind],
      spread(
        samples.map((s) => s.eventsPerSecond / 1e6),
        2,
      ),
      spread(
        samples.map((s) => s.cpuUsPerEvent),
        2,
      ),
      spread(
        samples.map((s) => s.peakRssMB),
        0,
      ),
      spread(
        samples.map((s) => s.circumstances.othersCores),
        2,
      ),
    ]),
  )
}

function judgementTable(result: GeneratorResult): string {
  return table(
    ['streams', 'saturated', 'why', 'steady', 'why not', 'shared reads'],
    result.measured.flatMap(({ streams, samples }) =>
      samples.map(({ saturated, why, steady, reasons, sharedReads }) => [
        String(streams),
        saturated ? 'yes' : 'no',
        why.join(', ') || '–',
        steady ? 'yes' : 'no',
        reasons.join(', ') || '–',
        spread([sharedReads], 3),
      ]),
    ),
  )
}

/** What the mock did at the greatest load: it shares two cores with the client, and may be the first at its end. */
function mockLimit(result: GeneratorResult): string {
  const most = Math.max(...result.paced.map(({ streams }) => streams))
  const samples = result.paced.filter(({ streams }) => streams === most).flatMap((each) => each.samples)
  const lateMs = Math.max(...samples.map(({ mock }) => mock.lateMs.p50))
  const rate = Math.max(...samples.map(({ eventsPerSecond }) => eventsPerSecond))
  const asked = (most * 1000) / GAP_MS
  if (lateMs < GAP_MS / 2) return ''
  return `At ${most} streams the mock itself is starved: ${asked.toLocaleString('en')} writes a second are asked of its one core, and it came to ${Math.round(rate / 1000)} k at the most
(nearly all of it in the kernel's TCP), running late without end. The errors there are still against what it did, not against its plan; but the load that the client met was that smaller one.`
}

function worseTable(worse: readonly Worse[]): string {
  if (worse.length === 0)
    return 'Against the run recorded before, no figure of ours got worse beyond what the repeats spread over.'
  return `Worse than in the run recorded before, beyond what the repeats spread over:

${table(
  ['figure', 'before', 'now'],
  worse.map(({ figure, before, now }) => [figure, String(before), String(now)]),
)}`
}

/** What the other one says, ours at the same load, and what was so. */
function peerTable(result: GeneratorResult): string {
  const { peers = [] } = result
  if (peers.length === 0) return ''
  const ours = (streams: number): readonly MeasureSample[] =>
    result.measured.filter((each) => each.streams === streams).flatMap(({ samples }) => samples)
  const f = (value: number, digits = 1): string => value.toFixed(digits)
  return `### Beside a peer

\`benchmark_serving.py\` of the vLLM lineage (InferenceX, commit 843c625; with Debian's aiohttp 3.8 and a tokenizer of words), three requests a stream as its users run it, on the same core against the same mock. Head and
role chunk come with the first token here, as from vLLM: with the head at once it takes the role chunk for the first token. It has no ids to join by, so its percentiles stand beside those of the mock's log.

${table(
  [
    'streams',
    'client',
    'TTFT p50, ms',
    'it was',
    'ITL p50, ms',
    'p99',
    'it was',
    'tok/s',
    'it was',
    'CPU an event, µs',
  ],
  peers.flatMap(({ streams, sample }) => [
    [
      String(streams),
      'benchmark_serving',
      f(sample.ttftP50Ms),
      f(sample.trueTtftP50Ms),
      f(sample.itlP50Ms),
      f(sample.itlP99Ms),
      f(sample.trueItlP99Ms),
      f(sample.tokensPerSecond, 0),
      f(sample.trueTokensPerSecond, 0),
      f(sample.cpuUsPerEvent),
    ],
    ...ours(streams).map((own) => [
      String(streams),
      `twospeed measure${own.saturated ? ', which says that it is saturated' : ''}`,
      f(own.ttftP50Ms),
      f(own.trueTtftP50Ms),
      f(own.itlP50Ms),
      f(own.itlP99Ms),
      f(own.trueItlP99Ms),
      f(own.eventsPerSecond, 0),
      '',
      f(own.cpuUsPerEvent),
    ]),
  ]),
)}
`
}

export function generatorSection(result: GeneratorResult): string {
  const lines: Line[] = [
    ...result.paced.map(({ streams, kind, samples }) => ({ streams, name: NAMES[kind], samples })),
    ...result.measured.map(({ streams, samples }) => ({ streams, name: 'twospeed measure', samples })),
  ].toSorted((a, b) => a.streams - b.streams)
  return `## The load generator

\`npm run bench:generator\` (${result.seconds} s). ${whereAndWhen(result.machine, result.takenAt)}

The client has one core and the other belongs to a mock server in C (\`bench/mock.c\`), which keeps a log of what it did and when. Its plan is a first token ${TTFT_MS} ms after the request
and one more every ${GAP_MS} ms, ${TOKENS} in all, each in an HTTP chunk of its own. Closed loop, starts spread over one request time, sockets reused. Errors are against the log, request by request
and gap by gap: what the client says minus what was so. The two probes are the yardstick: they look for blank lines and do nothing else, so they could measure no server but this one. All take turns. Figures are
the median of the repeats (least–most).

${marksTable(result.marks)}

${worseTable(result.worse)}

### Paced: errors

\`bunched\` is the share of gaps reported at under a tenth of what they were: tokens that waited and were then read together. It is how a slow client comes to look like a fast server.

${pacedTable(lines, ACCURACY)}

### Paced: cost

${pacedTable(lines, COST)}

${mockLimit(result)}

### What \`measure\` says of itself

A short window is asked for here, so \`windowTooShort\` is right.

${judgementTable(result)}

${peerTable(result)}
### Flooded

${FLOOD_STREAMS} streams, answers of 4 096 tokens, as fast as the socket takes them. A server writes one event in each HTTP chunk; a buffering proxy puts several into one. The twospeed client tells tokens from
other events, and counts and times each; the probes count blank lines.

${floodTable(result)}`
}
