import { expect, test } from 'vitest'
import { parseLengthPairs } from '../../src/record/index.ts'
import { faultOf } from './fault.ts'

const pairs = [
  { inputTokens: 512, outputTokens: 128 },
  { inputTokens: 7, outputTokens: 1 },
]

test.each([
  ['bare', ['512,128', '7,1']],
  ['with names, blanks and empty lines', ['\uFEFFinput,output\r', ' 512 , 128\r', '', '"7","1"']],
  ['with other names', ['inputTokens,outputTokens', '512,128', '7,1']],
])('read: %s', (_, lines) => {
  expect(parseLengthPairs(lines)).toEqual(pairs)
})

test.each([
  ['the file: it has no pair', []],
  ['the file: it has no pair', ['input,output']],
  ['line 1, input: "output" is no whole number', ['output,input', '1,2']],
  ['line 2, output: "0" is no whole number', ['5,5', '5,0']],
  ['line 1, input: "-5"', ['-5,5']],
  ['line 1, input: "1.5"', ['1.5,5']],
  ['line 1, input: "NaN"', ['NaN,5']],
  ['line 1: it has 3 cells, not 2', ['1,2,3']],
  ['line 3, input: "input"', ['5,5', '', 'input,output']],
])('refused: %s', (problem, lines) => {
  expect(faultOf(() => parseLengthPairs(lines))).toMatch(/^INVALID_WORK: The lengths file: /)
  expect(faultOf(() => parseLengthPairs(lines))).toContain(problem)
})

test('the same fault of every line is told once, with its first line', () => {
  const fault = faultOf(() => parseLengthPairs(['1,2,3', '4,5,6', '7,8', '9,9,9']))
  expect(fault).toBe('INVALID_WORK: The lengths file: line 1: it has 3 cells, not 2 (and 2 more like it).')
  // Not those of another column.
  expect(faultOf(() => parseLengthPairs(['0,1', '0,1', '1,0']))).toMatch(
    /line 1, input: "0" .*\(and 1 more like it\); line 3, output: "0" [^()]*$/,
  )
})
