import { expect, test } from 'vitest'
import { parsePointsCsv } from '../../src/record/index.ts'
import { faultOf } from './fault.ts'

const rows = [
  { concurrency: 20, outputTokensPerSecond: 2000 },
  { concurrency: 80, outputTokensPerSecond: 3200 },
]

test.each([
  ['plain', 'concurrency,outputTokensPerSecond\n20,2000\n80,3200\n'],
  ['no newline at the end', 'concurrency,outputTokensPerSecond\n20,2000\n80,3200'],
  ['byte-order mark and CRLF', '\uFEFFconcurrency,outputTokensPerSecond\r\n20,2000\r\n80,3200\r\n'],
  ['another order', 'outputTokensPerSecond,concurrency\n2000,20\n3200,80\n'],
  ['blanks, quotes, empty lines', '\n"concurrency" , outputTokensPerSecond\n\n 20 ,"2000"\n80,3.2e3\n\n'],
])('read: %s', (_, text) => {
  expect(parsePointsCsv(text)).toEqual(rows)
})

test('optional columns are taken where they stand', () => {
  const text = 'ttftMs,concurrency,tokensPerSecondPerUser,outputTokensPerSecond\n150.5,20,101,2000\n'
  expect(parsePointsCsv(text)).toEqual([
    { concurrency: 20, outputTokensPerSecond: 2000, tokensPerSecondPerUser: 101, ttftMs: 150.5 },
  ])
})

test('an empty cell of an optional column is a figure that is not known', () => {
  expect(parsePointsCsv('concurrency,outputTokensPerSecond,ttftMs\n20,2000,\n80,3200,150\n')).toEqual([
    { concurrency: 20, outputTokensPerSecond: 2000 },
    { concurrency: 80, outputTokensPerSecond: 3200, ttftMs: 150 },
  ])
})

test('repeats of one load are kept, each as its row', () => {
  expect(parsePointsCsv('concurrency,outputTokensPerSecond\n20,2000\n20,2050\n')).toHaveLength(2)
})

const head = 'concurrency,outputTokensPerSecond\n'
test.each([
  ['it is empty', ''],
  ['it is empty', '\n\n'],
  ['no row below the header', head],
  ['column concurrency is missing', 'outputTokensPerSecond\n2000\n'],
  ['column outputTokensPerSecond is missing', 'concurrency;outputTokensPerSecond\n20;2000\n'],
  ['unknown column "throughput"', 'concurrency,outputTokensPerSecond,throughput\n20,2000,1\n'],
  ['column concurrency is double', 'concurrency,outputTokensPerSecond,concurrency\n20,2000,20\n'],
  ['line 3, outputTokensPerSecond: "fast"', `${head}20,2000\n80,fast\n`],
  ['line 2, concurrency: ""', `${head},2000\n`],
  ['line 2, concurrency: "0"', `${head}0,2000\n`],
  ['line 2, concurrency: "-4"', `${head}-4,2000\n`],
  ['line 2, outputTokensPerSecond: "NaN"', `${head}20,NaN\n`],
  ['line 2, outputTokensPerSecond: "Infinity"', `${head}20,Infinity\n`],
  ['line 2, outputTokensPerSecond: "1e999"', `${head}20,1e999\n`],
  ['line 2, outputTokensPerSecond: "0x10"', `${head}20,0x10\n`],
  ['line 3 has 1 cells, not 2', `${head}20,2000\n80\n`],
  ['line 2 has 3 cells, not 2', `${head}20,2,000\n`],
])('refused: %s', (problem, text) => {
  expect(faultOf(() => parsePointsCsv(text))).toMatch(/^INVALID_POINTS: /)
  expect(faultOf(() => parsePointsCsv(text))).toContain(problem)
})

test('all problems are told at once, and many are counted', () => {
  expect(faultOf(() => parsePointsCsv(`${head}a,0\n`))).toMatch(/concurrency: "a".*outputTokensPerSecond: "0"/)
  expect(faultOf(() => parsePointsCsv(`${head}${'a,1\n'.repeat(15)}`))).toMatch(/; and 5 more\.$/)
})
