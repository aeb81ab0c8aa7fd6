import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { CALIBRATION_SCHEMA, type Calibration } from '../../../src/load/calibrate/calibration.ts'
import {
  calibrationFile,
  readCalibration,
  storeCalibration,
  thisMachine,
} from '../../../src/load/calibrate/calibration-file.ts'

const { XDG_CACHE_HOME, TWOSPEED_CACHE } = process.env
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'twospeed-'))
  process.env.TWOSPEED_CACHE = join(folder, 'cache')
})
afterEach(() => {
  for (const [name, value] of Object.entries({ XDG_CACHE_HOME, TWOSPEED_CACHE })) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  rmSync(folder, { recursive: true })
})

const calibration = (): Calibration => ({
  schema: CALIBRATION_SCHEMA,
  createdAt: '2026-01-01T00:00:00.000Z',
  machine: thisMachine(),
  loads: [],
  trusted: [{ workers: 0, streams: 64, eventsPerSecond: 3200 }],
})

it('what was stored is read again, and nothing is left beside it', () => {
  expect(readCalibration()).toBeUndefined()
  const path = storeCalibration(calibration())
  expect(readCalibration()).toEqual(calibration())
  expect(readdirSync(join(folder, 'cache')).map((name) => join(folder, 'cache', name))).toEqual([path])
})

it.skipIf(process.platform !== 'linux')('it lies where the user keeps caches', () => {
  delete process.env.TWOSPEED_CACHE
  process.env.XDG_CACHE_HOME = join(folder, 'xdg')
  expect(calibrationFile()).toMatch(new RegExp(`^${folder}/xdg/twospeed/calibration-[0-9a-f]{12}\\.json$`))
})

it('that of another machine, Node or version is another file', () => {
  const machine = thisMachine()
  const others = [
    { ...machine, cpu: 'other' },
    { ...machine, cores: machine.cores + 1 },
    { ...machine, node: 'v99' },
    { ...machine, twospeed: '99' },
  ]
  storeCalibration({ ...calibration(), machine: others[0] ?? machine })
  expect(readCalibration()).toBeUndefined()
  expect(new Set([machine, ...others].map(calibrationFile)).size).toBe(5)
})

it('a file that holds something else is as good as none', () => {
  mkdirSync(join(folder, 'cache'))
  for (const text of [
    '',
    'null',
    '{"schema":"twospeed/calibration@2","loads":[],"trusted":[]}',
    JSON.stringify({ ...calibration(), trusted: [{ workers: 'many' }] }),
    JSON.stringify({ ...calibration(), loads: [null] }),
  ]) {
    writeFileSync(calibrationFile(), text)
    expect(readCalibration()).toBeUndefined()
  }
  writeFileSync(calibrationFile(), JSON.stringify(calibration()))
  expect(readCalibration()).toBeDefined()
})

it('a place that cannot be written is told', () => {
  writeFileSync(join(folder, 'cache'), 'a file')
  expect(() => storeCalibration(calibration())).toThrow(expect.objectContaining({ code: 'FILE_NOT_WRITABLE' }))
})
