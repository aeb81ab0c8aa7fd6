import { expect, test } from 'vitest'
import { parseRunHeader } from '../../src/record/index.ts'
import { faultOf } from './fault.ts'

const header = {
  schema: 'twospeed/run@1',
  createdAt: '2026-12-01T00:00:00.000Z',
  twospeed: '0.1.0',
  target: { url: 'http://127.0.0.1:8000/v1', model: 'm', engine: 'vllm' },
  hardware: { gpus: 8, replicas: 2, prefillGpus: 2, decodeGpus: 6, name: 'h100' },
  clock: { originNs: '123', wallIso: '2026-12-01T00:00:00.000Z' },
  workload: { inputTokens: 512, asked: { deeper: [1] } },
  objectives: { ttftMs: 500, tpotMs: 50, tokensPerSecond: 20 },
  points: [
    {
      load: { kind: 'concurrency', value: 8 },
      window: { startS: 10, endS: 20, steady: false, reasons: ['windowTooShort'] },
      generator: {
        lateMs: { p50: 1 },
        eventLoopLagMs: { p99: 2 },
        cpu: 0.4,
        sharedReads: 0.1,
        saturated: true,
        why: ['x'],
      },
    },
  ],
}

test('a header is given back as it was written', () => {
  expect(parseRunHeader(header)).toEqual(header)
})

test('of a finished run only what was given is taken; keys of later versions are left aside', () => {
  const [point] = header.points
  const run = {
    ...header,
    later: 1,
    fit: {},
    frontier: [],
    points: [{ ...point, outputTokensPerSecond: 7, requests: {} }],
  }
  expect(parseRunHeader(run)).toEqual(header)
})

test('the least: hardware may be unknown, a window need not say whether it was steady', () => {
  const { schema, createdAt, twospeed, target, workload } = header
  const least = { schema, createdAt, twospeed, target, workload, hardware: {} }
  const points = [{ load: { kind: 'rate', value: 0.5 }, window: { startS: 0, endS: 1 } }]
  expect(parseRunHeader({ ...least, points })).toEqual({
    ...least,
    points: [{ load: { kind: 'rate', value: 0.5 }, window: { startS: 0, endS: 1, steady: true, reasons: [] } }],
  })
})

test('another version is refused as such', () => {
  expect(faultOf(() => parseRunHeader({ ...header, schema: 'twospeed/run@9' }))).toMatch(
    /^UNKNOWN_SCHEMA: .*run@9.*run@1/,
  )
})

test.each([null, 3, 'run', [], {}, { ...header, schema: 1 }])('no run: %j', (json) => {
  expect(faultOf(() => parseRunHeader(json))).toMatch(/^INVALID_RUN: /)
})

test('all problems are told at once, each with its place', () => {
  const bad = {
    ...header,
    target: { url: 'u' },
    hardware: { gpus: 0 },
    objectives: { ttftMs: -1 },
    points: [
      { load: { kind: 'users', value: 1 }, window: { startS: 0, endS: 1 } },
      { load: { kind: 'rate', value: 0 }, window: { startS: 5, endS: 5 } },
    ],
  }
  const fault = faultOf(() => parseRunHeader(bad))
  for (const place of [
    'target.model',
    'hardware.gpus',
    'objectives.ttftMs',
    'points[0].load.kind',
    'points[1].load.value',
    'points[1].window.endS: must be after startS',
  ]) {
    expect(fault).toContain(place)
  }
})

const pool = {
  name: 'all',
  role: 'both',
  replicas: 2,
  gpus: 2,
  busy: 0.5,
  tokensPerSecond: 100,
  tokensPerSecondPerGpu: 50,
  meanBatch: 4,
  meanWaiting: 0,
  meanKvShare: 0.25,
  mostKvShare: 0.5,
  wastedShare: 0,
  preemptions: 0,
}
const simulation = {
  lanes: [{ name: 'chat', requests: { sent: 3 } }],
  pools: [pool],
  link: { busy: 1, meanMoving: 2, meanWaiting: 241 },
  series: [{ atS: 0, running: 1, waiting: 0, inTransfer: 1, kvShare: 0.5 }],
  preemptions: 0,
  recomputedTokens: 0,
  cachedTokens: 7,
  refused: { requests: 1, first: 'A prompt of 9 tokens is too long.' },
}
const simulated = (told: object): object => ({ ...header, points: [{ ...header.points[0], simulation: told }] })

test('what a simulated point says of itself is given back as it was written', () => {
  expect(parseRunHeader(simulated(simulation))).toEqual(simulated(simulation))
})

test('what a simulated point cannot say is refused, each with its place', () => {
  const wrong = { ...simulation, pools: [{ ...pool, role: 'none', busy: -1 }], lanes: [{}], preemptions: 0.5 }
  const message = faultOf(() => parseRunHeader(simulated(wrong)))
  expect(message).toContain('INVALID_RUN: ')
  for (const place of ['pools[0].role', 'pools[0].busy', 'lanes[0]', 'preemptions'])
    expect(message).toContain(`points[0].simulation.${place}`)
})
