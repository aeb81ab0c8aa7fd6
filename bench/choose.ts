/**
 * How good is a choice that is made from three loads? Reads bench/data, writes bench/choose.json and
 * docs/reference/planning-accuracy.md.
 *
 *   npm run bench:choose
 */
import { chooseAccuracy } from './choose/scores.ts'
import { tellMarks } from './marks.ts'
import { writePlanningPage } from './page/planning.ts'
import { writeResult } from './results.ts'

const result = chooseAccuracy()
writeResult('choose', result)
writePlanningPage()
tellMarks(result.marks)
