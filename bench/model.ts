/**
 * How near are the model's answers to what others measured? Reads bench/data, writes bench/model.json and
 * docs/reference/model-accuracy.md.
 *
 *   npm run bench:model
 */
import { tellMarks } from './marks.ts'
import { modelAccuracy } from './model/accuracy.ts'
import { writeModelPage } from './page/model.ts'
import { writeResult } from './results.ts'

const result = modelAccuracy()
writeResult('model', result)
writeModelPage()
tellMarks(result.marks)
