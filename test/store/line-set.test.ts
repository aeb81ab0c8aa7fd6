import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLineSet } from '../../src/store/line-set.ts'

test('tells new lines from known ones as a set of the lines does', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 40 }), { maxLength: 100 }), (numbers) => {
      const [lines, plain] = [createLineSet(), new Set<number>()]
      for (const number of numbers) {
        expect(lines.add(Buffer.from(`line ${number}`))).toBe(!plain.has(number))
        plain.add(number)
      }
    }),
  )
})

test('forgets none as it grows', () => {
  const lines = createLineSet()
  const all = Array.from({ length: 20_000 }, (_, at) => Buffer.from(`line ${at}`))
  expect(all.filter((line) => lines.add(line))).toHaveLength(all.length)
  expect(all.filter((line) => lines.add(line))).toEqual([])
})
