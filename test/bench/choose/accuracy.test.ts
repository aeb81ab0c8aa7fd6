import { expect, test } from 'vitest'
import { chooseAccuracy } from '../../../bench/choose/scores.ts'
import { readResult } from '../../../bench/results.ts'

/** Marks that choices do not hold, by name. One that they come to hold has to leave this list. */
const MISSED: readonly string[] = []

test('choices from three loads are as good as their page says', { timeout: 120_000 }, () => {
  const { marks, scores } = chooseAccuracy()
  expect(marks.length).toBe(6)
  expect(marks.filter(({ pass }) => !pass).map(({ name }) => name)).toEqual(MISSED)
  // Without a law far fewer are: the questions tell one rule from another.
  for (const limit of ['floor', 'ttft']) {
    const [byLaw, byPoint] = (['choose', 'measuredPoint'] as const).map((rule) =>
      scores.find((score) => score.rule === rule && score.limit === limit && score.of === 'all'),
    )
    expect((byLaw?.exactPct ?? 0) - (byPoint?.exactPct ?? 100)).toBeGreaterThan(40)
  }
  // Where this fails, `npm run bench:choose` writes bench/choose.json and docs/reference/planning-accuracy.md anew.
  expect(readResult('choose')?.marks).toEqual(marks)
})
