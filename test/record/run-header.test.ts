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
