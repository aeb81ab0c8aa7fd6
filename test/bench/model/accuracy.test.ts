import { expect, test } from 'vitest'
import { answerQuestions } from '../../../bench/model/accuracy.ts'
import { marksOf } from '../../../bench/model/marks.ts'
import { splitPools } from '../../../bench/model/split-pools.ts'
import { readResult } from '../../../bench/results.ts'

/** Marks that the model does not hold, by name. One that it comes to hold has to leave this list. */
const MISSED: readonly string[] = []

test('public measurements bear out what the model promises of itself, and its page says so', {
  timeout: 120_000,
}, () => {
  const marks = marksOf(answerQuestions(), splitPools())
  expect(marks.length).toBe(24)
  expect(marks.filter(({ pass }) => !pass).map(({ name }) => name)).toEqual(MISSED)
  // Where this fails, `npm run bench:model` writes bench/model.json and docs/reference/model-accuracy.md anew.
  expect(readResult('model')?.marks).toEqual(marks)
})
