import { describe, expect, it } from 'vitest'
import {
  CALIBRATION_SCHEMA,
  type Calibration,
  type CalibrationLoad,
  trustedOf,
  trustIn,
  wasDisturbed,
  workersFor,
} from '../../../src/load/calibrate/calibration.ts'

const load = (workers: number, streams: number, p99: number, trusted = true): CalibrationLoad => ({
  workers,
  streams,
  tokensPerSecond: 50,
  eventsPerSecond: 50 * streams,
  ttftErrorMs: { p50: p99 / 10, p99 },
  itlErrorMs: { p50: p99 / 20, p99: p99 / 2 },
  cpu: 1,
  serverLateMs: 0,
  trusted,
})
/** One thread bears 512 streams, one worker 1 024, two 2 048. */
const loads = [
  load(0, 64, 1),
  load(0, 512, 4),
  load(0, 1024, 40, false),
  load(1, 512, 2),
  load(1, 1024, 6),
  load(1, 2048, 50, false),
  load(2, 2048, 8),
]
const calibration: Calibration = {
  schema: CALIBRATION_SCHEMA,
  createdAt: '2026-01-01T00:00:00.000Z',
  machine: { cpu: 'x', cores: 4, node: 'v20', twospeed: '1' },
  loads,
  trusted: trustedOf(loads),
}
const asked = (streams: number, pace = 50) => ({ streams, eventsPerSecond: pace * streams })

it('trusted is the most that was borne, for each number of workers', () => {
  expect(calibration.trusted).toEqual([
    { workers: 0, streams: 512, eventsPerSecond: 25_600 },
    { workers: 1, streams: 1024, eventsPerSecond: 51_200 },
    { workers: 2, streams: 2048, eventsPerSecond: 102_400 },
  ])
  expect(trustedOf([load(3, 64, 99, false)])).toEqual([{ workers: 3, streams: 0, eventsPerSecond: 0 }])
})

describe('how many workers a load takes', () => {
  it('is as few as are trusted with it', () => {
    expect([64, 512, 513, 1024, 2000].map((streams) => workersFor(asked(streams), calibration, 8))).toEqual([
      0, 0, 0, 1, 2,
    ])
  })

  it('counts streams and events alike', () => {
    expect(workersFor(asked(64, 1000), calibration, 8)).toBe(2)
    expect(workersFor(asked(1000, 1), calibration, 8)).toBe(1)
  })

  it('is of those that were tried the best, where none is enough, and never more than there may be', () => {
    expect(workersFor(asked(9999), calibration, 8)).toBe(2)
    expect(workersFor(asked(9999), calibration, 1)).toBe(1)
    // Two workers on two cores may be worse than one.
    const worse = { ...calibration, trusted: trustedOf([load(0, 64, 1), load(1, 1024, 1), load(2, 256, 1)]) }
    expect(workersFor(asked(9999), worse, 8)).toBe(1)
  })

  it('is told without a calibration too', () => {
    expect([1, 400, 401, 801, 9999].map((streams) => workersFor(asked(streams), undefined, 3))).toEqual([0, 0, 2, 3, 3])
    expect([1024, 1025].map((streams) => workersFor(asked(streams, 1), undefined, 1))).toEqual([0, 1])
  })
})

describe('what is said of a point', () => {
  it('within what is trusted, with the errors of the next greater load', () => {
    expect(trustIn(calibration, 0, asked(100))).toEqual({
      calibration: {
        workers: 0,
        trusted: { streams: 512, eventsPerSecond: 25_600 },
        asked: asked(100),
        beyond: false,
      },
      errorMs: { ttft: 4, itl: 2 },
    })
    // The same load to within what a load differs by from one time to the next.
    expect(trustIn(calibration, 0, asked(530))?.calibration.beyond).toBe(false)
  })

  it('beyond it, with the errors of a load that was not borne, and as much more as more was asked than was ever tried', () => {
    expect(trustIn(calibration, 0, asked(800))).toMatchObject({
      calibration: { beyond: true },
      errorMs: { ttft: 40, itl: 20 },
    })
    expect(trustIn(calibration, 0, asked(4096))).toMatchObject({
      calibration: { beyond: true },
      errorMs: { ttft: 160, itl: 80 },
    })
    // Few events, but of more streams than any that were tried.
    expect(trustIn(calibration, 0, asked(2048, 1))).toMatchObject({
      calibration: { beyond: true },
      errorMs: { ttft: 80, itl: 40 },
    })
  })

  it('by more workers than were tried is what is said of the most that were', () => {
    expect(trustIn(calibration, 5, asked(2048))?.calibration).toMatchObject({
      workers: 5,
      trusted: { streams: 2048 },
      beyond: false,
    })
    expect(trustIn({ ...calibration, trusted: [], loads: [] }, 0, asked(1))).toBeUndefined()
  })

  it('not with the errors of a load that something else disturbed', () => {
    const disturbed = [load(0, 64, 30, false), load(0, 256, 3), load(0, 512, 70, false)]
    const found = { ...calibration, loads: disturbed, trusted: trustedOf(disturbed) }
    expect(trustIn(found, 0, asked(64))).toMatchObject({ calibration: { beyond: false }, errorMs: { ttft: 3 } })
    expect(trustIn(found, 0, asked(500))).toMatchObject({ calibration: { beyond: true }, errorMs: { ttft: 70 } })
    const most = { streams: 256, eventsPerSecond: 12_800 }
    expect(disturbed.map((one) => wasDisturbed(one, most))).toEqual([true, false, false])
  })
})
