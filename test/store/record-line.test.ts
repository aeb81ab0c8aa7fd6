import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseRecord } from '../../src/record/index.ts'
import { parseLine } from '../../src/store/record-line.ts'
import { anyRecords, recordOf } from '../core/records.ts'

const parse = (line: string) => parseLine(Buffer.from(line), 1)
const outcomeOf = (read: () => unknown): unknown => {
  try {
    return read()
  } catch (error) {
    return error
  }
}

test('a line gives the record that JSON gives', () => {
  fc.assert(
    fc.property(anyRecords, (records) => {
      for (const record of records) expect(parse(JSON.stringify(record))).toEqual(record)
    }),
  )
})

const plain = JSON.stringify(recordOf({ gapsUs: [100, 200], finishReason: 'stöp' }))
const withoutGaps = plain.replace(/"gapsUs":\[[^\]]*\]/, '')

test.each([
  ['as it is written', plain],
  ['with blanks', plain.replace('"gapsUs":[100,200]', '"gapsUs": [100, 200]')],
  ['in another notation', plain.replace('[100,200]', '[1e2,2.0e2]')],
  ['twice: the last counts', plain.replace('"gapsUs":[100,200]', '"gapsUs":[7],"gapsUs":[100,200]')],
  ['named in a text', plain.replace('"stöp"', JSON.stringify('"gapsUs":[1]'))],
  ['also of something later', plain.replace('{', '{"later":{"gapsUs":[1,2,3]},')],
])('gaps %s', (_, line) => {
  expect(parse(line)).toEqual(parseRecord(line))
  expect(parse(line).gapsUs).toEqual([100, 200])
})

test.each([
  ['none', withoutGaps.replace(',,', ',')],
  ['that do not add up', plain.replace('[100,200]', '[100,200000]')],
  ['that are negative', plain.replace('[100,200]', '[400,-100]')],
  ['that are no numbers', plain.replace('[100,200]', '["100",200]')],
  ['that are a 0', plain.replace('[100,200]', '0')],
  ['that do not end', plain.slice(0, plain.indexOf('200'))],
])('gaps %s are refused in the same words', (_, line) => {
  const refused = outcomeOf(() => parse(line))
  expect(refused).toMatchObject({ code: 'INVALID_RUN' })
  expect(refused).toEqual(outcomeOf(() => parseRecord(line, 1)))
})

test('gaps of something else do not stand in for those that are missing', () => {
  const line = withoutGaps.replace(/,?\}$/, ',"later":{"gapsUs":[100,200]}}').replace(',,', ',')
  expect(outcomeOf(() => parse(line))).toMatchObject({
    code: 'INVALID_RUN',
    message: expect.stringContaining('gapsUs'),
  })
})
