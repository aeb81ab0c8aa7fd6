/**
 * How long do plans for a million users take? Writes bench/plan-speed.json and docs/reference/planning-accuracy.md.
 *
 *   npm run bench:plan-speed
 */
import { median, tellMarks } from './marks.ts'
import { writePlanningPage } from './page/planning.ts'
import { largePlans } from './plan/large.ts'
import { taken, writeResult } from './results.ts'

const MOST_S = 2

const startMs = performance.now()
const plans = await largePlans()
const marks = plans.map(({ what, cpuS }) => ({
  name: `A million users at once, ${what}: CPU time`,
  value: `${median(cpuS).toFixed(2)} s`,
  limit: `≤ ${MOST_S} s`,
  pass: median(cpuS) <= MOST_S,
}))
writeResult('plan-speed', {
  ...taken(startMs, marks),
  plans,
})
writePlanningPage()
tellMarks(marks)
