import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseRecord } from '../../src/record/index.ts'
import { anyRecords } from '../core/records.ts'
import { faultOf } from './fault.ts'

const good = {
  id: 'r1',
  point: 0,
  scheduledS: 0.9,
  sentS: 1,
  connectMs: 2,
  firstByteS: 1.05,
  firstTokenS: 1.1,
  lastTokenS: 1.3,
  endS: 1.3,
  outcome: 'ok',
  finishReason: 'length',
  askedInputTokens: 10,
  askedOutputTokens: 3,
  inputTokens: 10,
  cachedInputTokens: 0,
  outputTokens: 3,
  tokenSource: 'usage',
  gapsUs: [100_000, 100_000],
  tokensPerEvent: [1, 1, 1],
  choices: 1,
}
const failed = {
  id: 'r2',
  point: 3,
  sentS: 1,
  endS: 1.1,
  outcome: 'failed',
  error: { kind: 'http', message: 'overloaded', status: 503 },
  outputTokens: 0,
  tokenSource: 'events',
  gapsUs: [],
}

test('a record is given back as it was written, keys of later versions too', () => {
  expect(parseRecord(JSON.stringify({ ...good, later: [1] }))).toEqual({ ...good, later: [1] })
  expect(parseRecord(JSON.stringify(failed))).toEqual(failed)
  fc.assert(
    fc.property(anyRecords, (records) => {
      for (const record of records) expect(parseRecord(JSON.stringify(record))).toEqual(record)
    }),
  )
})

test('a difference in the last bit of a division is no time that runs backwards', () => {
  expect(() => parseRecord(JSON.stringify({ ...good, endS: 1.3 - 2e-16 }))).not.toThrow()
})

test.each([
  ['endS is before lastTokenS', { endS: 1.29 }],
  ['firstTokenS is before firstByteS', { firstByteS: 1.2 }],
  ['firstByteS is before sentS', { firstByteS: 0.99 }],
  ['lastTokenS is before firstTokenS', { lastTokenS: 1.05 }],
  ['firstTokenS is before scheduledS', { scheduledS: 1.2 }],
  ['gapsUs must be', { gapsUs: [300_000, -100_000] }],
  ['connectMs must not be negative', { connectMs: -1 }],
  ['do not add up', { gapsUs: [100_000, 200_000] }],
  ['firstTokenS and lastTokenS come together', { lastTokenS: undefined }],
  ['gapsUs without firstTokenS', { firstTokenS: undefined, lastTokenS: undefined }],
  ['tokensPerEvent must be', { tokensPerEvent: [1, 2] }],
  ['tokensPerEvent must be', { tokensPerEvent: [1, 1, -1] }],
  ['id must be', { id: '' }],
  ['point must be', { point: -1 }],
  ['point must be', { point: '0' }],
  ['sentS is missing', { sentS: undefined }],
  ['sentS must be a number', { sentS: '1' }],
  ['endS must be a number', { endS: null }],
  ['outcome must be', { outcome: 'fine' }],
  ['tokenSource must be', { tokenSource: 'guess' }],
  ['outputTokens must be', { outputTokens: 2.5 }],
  ['inputTokens must be', { inputTokens: -1 }],
  ['choices must be', { choices: 0 }],
  ['finishReason must be', { finishReason: 3 }],
  ['an ok request has no error', { error: failed.error }],
  ['a dropped request has no token', { outcome: 'dropped' }],
])('refused: %s', (problem, change) => {
  expect(faultOf(() => parseRecord(JSON.stringify({ ...good, ...change })))).toContain(problem)
})

test.each([
  ['a failed request has an error', { error: undefined }],
  ['error must hold', { error: { kind: 'other', message: '' } }],
  ['error must hold', { error: { kind: 'http' } }],
  ['error must hold', { error: { kind: 'http', message: '', status: '503' } }],
  ['error must hold', { error: 'overloaded' }],
])('refused of a failure: %s', (problem, change) => {
  expect(faultOf(() => parseRecord(JSON.stringify({ ...failed, ...change })))).toContain(problem)
})

test('all problems of a line are told at once, with its number', () => {
  const line = JSON.stringify({ ...good, id: 1, endS: 0, outcome: 'fine' })
  const fault = faultOf(() => parseRecord(line, 7))
  expect(fault).toMatch(/^INVALID_RUN: Line 7 of the request records: id .*; outcome .*; endS is before lastTokenS/)
})

test.each(['', '{', 'null', '[]', '3'])('no record: %j', (line) => {
  expect(faultOf(() => parseRecord(line))).toMatch(/^INVALID_RUN: A request record: it is not/)
})
