/**
 * Do fleets do what their plans say? Each is planned from measurements of a server whose law is known here alone, and then simulated whole
 * under that law. Writes bench/plan.json and docs/reference/planning-accuracy.md.
 *
 *   npm run bench:plan
 */
import { tellMarks } from './marks.ts'
import { writePlanningPage } from './page/planning.ts'
import { planAccuracy } from './plan/scores.ts'
import { writeResult } from './results.ts'

const result = planAccuracy()
writeResult('plan', result)
writePlanningPage()
tellMarks(result.marks)
