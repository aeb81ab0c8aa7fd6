import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readGapList } from '../../src/record/index.ts'

const read = (text: string, from = 0) => readGapList(Buffer.from(text), from)

test('gives what JSON would, and where the list ends', () => {
  const gap = fc.oneof(fc.nat({ max: 100_000 }), fc.nat({ max: 2 ** 40 }))
  fc.assert(
    fc.property(fc.array(gap, { maxLength: 200 }), fc.string(), (gapsUs, after) => {
      const text = JSON.stringify(gapsUs)
      expect(read(`${text}${after}`, 1)).toEqual({ gapsUs, end: text.length })
    }),
  )
})

test('each list is its own, whatever is read after it', () => {
  const first = read('1,2,3]')
  read('9,9,9,9]')
  expect(first?.gapsUs).toEqual([1, 2, 3])
})

test.each([
  '',
  '1',
  '1,',
  '1,2',
  ',1]',
  '1,]',
  '1,,2]',
  '-1]',
  '1.5]',
  '1e3]',
  ' 1]',
  '1 ]',
  '01]',
  '00]',
  '"1"]',
  'null]',
  '[1]]',
])('leaves to JSON what is not plain: %j', (text) => {
  expect(read(text)).toBeUndefined()
})

test('leaves numbers to JSON that may not be exact', () => {
  expect(read('999999999999999]')?.gapsUs).toEqual([999_999_999_999_999])
  expect(read('1000000000000000]')).toBeUndefined()
})
