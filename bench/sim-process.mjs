/** The simulator in a process of its own, which is asked by its arguments: a name of sim-probe.mjs, and numbers. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { parseTrace } from '../dist/record/index.js'
import { besideVidur, frontiers, growth, hour, large } from './sim-probe.mjs'

const [what, ...numbers] = process.argv.slice(2)
const given = numbers.map(Number)
const chat = () => {
  const text = gunzipSync(readFileSync(new URL('data/azure_llm_2023_conv.csv.gz', import.meta.url))).toString()
  return parseTrace(text.trim().split('\n')).rows
}
const chatOf = (run) => (requests) => run(chat().slice(0, requests))
const probe = { frontiers, growth, large, hour: chatOf(hour), besideVidur: chatOf(besideVidur) }
const answer = probe[what](...given)
const peakRssMB = process.resourceUsage().maxRSS / 1024
process.stdout.write(`${JSON.stringify(Array.isArray(answer) ? answer : { ...answer, peakRssMB })}\n`)
