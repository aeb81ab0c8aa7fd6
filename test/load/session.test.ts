import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Run, TwospeedError } from '../../src/core/index.ts'
import { CALIBRATION_SCHEMA, type CalibrationLoad, trustedOf } from '../../src/load/calibrate/calibration.ts'
import { storeCalibration, thisMachine } from '../../src/load/calibrate/calibration-file.ts'
import { measure } from '../../src/load/index.ts'
import type { Progress } from '../../src/load/options.ts'
import type { CrewOptions } from '../../src/load/workers/crew.ts'
import { type FakeTarget, startFakeTarget, streamed } from './fake-target.ts'

/** After so many requests a thread of the client is said to have ended. */
const crash = vi.hoisted(() => ({ after: Number.POSITIVE_INFINITY }))
vi.mock('../../src/load/workers/crew.ts', async (original) => {
  const real = await original<typeof import('../../src/load/workers/crew.ts')>()
  const createCrew = (options: CrewOptions) => {
    const crew = real.createCrew(options)
    let sent = 0
    const send: typeof crew.send = (exchange, onEnd) => {
      if (++sent === crash.after) options.onCrash(new TwospeedError('BUG', 'A thread ended.', 'Report it.'))
      return crew.send(exchange, onEnd)
    }
    return { ...crew, send }
  }
  return { ...real, createCrew }
})

const { TWOSPEED_CACHE } = process.env
let target: FakeTarget
let folder = ''
beforeEach(async () => {
  target = await startFakeTarget({ answer: streamed({ firstMs: 2 }) })
  folder = mkdtempSync(join(tmpdir(), 'twospeed-'))
  process.env.TWOSPEED_CACHE = folder
  crash.after = Number.POSITIVE_INFINITY
})
afterEach(async () => {
  await target.close()
  rmSync(folder, { recursive: true })
  if (TWOSPEED_CACHE === undefined) delete process.env.TWOSPEED_CACHE
  else process.env.TWOSPEED_CACHE = TWOSPEED_CACHE
})

const run = async (): Promise<{ run: Run; told: Progress[]; notes: string }> => {
  const told: Progress[] = []
  const made = await measure({
    url: target.url,
    model: 'tiny',
    concurrency: [2],
    inputTokens: 8,
    outputTokens: 4,
    requests: 40,
    preflight: false,
    out: join(folder, 'run'),
    onProgress: (progress) => told.push(progress),
  })
  const notes = told.flatMap((progress) => (progress.kind === 'note' ? [progress.text] : [])).join('\n')
  return { run: made, told, notes }
}

it('a client that failed ends the run with its own error, and keeps what was measured', async () => {
  crash.after = 30
  const { run: kept, told } = await run()
  expect(told.find((progress) => progress.kind === 'allFailed')?.error).toMatchObject({ code: 'BUG' })
  expect(kept.points[0]?.window.reasons).toContain('clientFailed')
  expect(kept.points[0]?.requests.ok).toBeGreaterThan(0)
  expect(target.asked.length).toBeLessThan(35)
})

it('a client that failed before anything was measured says why, and not that nobody answered', async () => {
  crash.after = 1
  const { told } = await run()
  const said = told.flatMap((progress) => (progress.kind === 'allFailed' ? [progress.error.code] : []))
  expect(new Set(said)).toEqual(new Set(['BUG']))
})

const calibrate = (streams: number, eventsPerSecond: number): void => {
  const load: CalibrationLoad = {
    workers: 0,
    streams,
    tokensPerSecond: 50,
    eventsPerSecond,
    ttftErrorMs: { p50: 1, p99: 3 },
    itlErrorMs: { p50: 1, p99: 2 },
    cpu: 1,
    serverLateMs: 0,
    trusted: true,
  }
  storeCalibration({
    schema: CALIBRATION_SCHEMA,
    createdAt: '2026-01-01T00:00:00.000Z',
    machine: thisMachine(),
    loads: [load],
    trusted: trustedOf([load]),
  })
}

it('a point beyond the calibration is marked and told, with a greater error', async () => {
  calibrate(1, 1e6)
  const { run: marked, notes } = await run()
  const { calibration, errorMs } = marked.points[0]?.generator ?? {}
  expect(calibration).toMatchObject({ workers: 0, trusted: { streams: 1, eventsPerSecond: 1e6 }, beyond: true })
  const streams = calibration?.asked.streams ?? 0
  expect(streams).toBeGreaterThan(1.5)
  expect(streams).toBeLessThanOrEqual(2)
  expect(errorMs).toEqual({ ttft: 3 * streams, itl: 2 * streams })
  expect(notes).toContain('by its calibration this client is trusted with 1,000,000 events/s over 1 streams')
  expect(marked.workload.calibration).toBe('2026-01-01T00:00:00.000Z')
})

it('a point within it bears its error and no remark', async () => {
  calibrate(64, 1e6)
  const { run: marked, notes } = await run()
  expect(marked.points[0]?.generator).toMatchObject({ calibration: { beyond: false }, errorMs: { ttft: 3, itl: 2 } })
  expect(notes).not.toContain('calibration')
})

it('without one the run says so, and nobody else', async () => {
  const { run: plain, notes } = await run()
  expect(plain.workload.calibration).toContain('none')
  expect(plain.points[0]?.generator).not.toHaveProperty('calibration')
  expect(notes).not.toContain('calibrat')
})

it('a number of workers is a whole one within reason, and the run says which', async () => {
  const options = { url: target.url, model: 'tiny', concurrency: [1], requests: 2, preflight: false } as const
  for (const workers of [-1, 1.5, 257, Number.NaN]) {
    await expect(measure({ ...options, workers, out: join(folder, 'none') })).rejects.toMatchObject({
      code: 'INVALID_VALUE',
      message: expect.stringContaining('workers'),
    })
  }
  const { workload } = await measure({ ...options, workers: 0, out: join(folder, 'zero') })
  expect(workload.workers).toBe(0)
})
