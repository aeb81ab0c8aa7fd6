/**
 * Does `simulate` say what `measure` would find? The same law, load and seed through both: `twospeed serve --engine simulated` under
 * `twospeed measure`, as a user runs them, and the simulator. Writes bench/sim-agreement.json and the page.
 *
 *   npm run bench:sim-agreement
 */
import { undisturbed, watchCircumstances } from './circumstances.ts'
import { tellMarks } from './marks.ts'
import { writePage } from './page/page.ts'
import { type SimAgreementResult, taken, writeResult } from './results.ts'
import { differencesOf } from './sim-agreement/differences.ts'
import { measured } from './sim-agreement/measured.ts'
import type { AgreementPlan } from './sim-agreement/plan.ts'
import { simulated } from './sim-agreement/simulated.ts'

/** Steps as long as large models have them: a millisecond that a client and a server on Node add is 2 % of 50. */
const LAW = 'a=60ms,b=0.6ms,c=0.2ms,d=0.03ms'
const LENGTHS = { inputTokens: 'uniform:100-400', outputTokens: 'uniform:10-40', law: LAW, windowS: 40 } as const
const MANY = { ...LENGTHS, law: 'a=60ms,b=0.3ms,c=0.03ms,d=0.01ms', outputTokens: 'uniform:5-20' } as const

const PLANS: readonly AgreementPlan[] = [
  // Few come in a window, and which of them end in it differs by one: in longer ones that is less than what is looked for.
  { ...LENGTHS, windowS: 160, name: 'one user', load: { kind: 'concurrency', users: 1 } },
  { ...LENGTHS, name: '16 users', load: { kind: 'concurrency', users: 16 } },
  { ...MANY, name: '64 users', load: { kind: 'concurrency', users: 64 } },
  { ...LENGTHS, windowS: 160, name: '24 users who think', load: { kind: 'concurrency', users: 24, thinkS: 1 } },
  { ...LENGTHS, name: '16 users, 8 sequences at once', load: { kind: 'concurrency', users: 16 }, maxNumSeqs: 8 },
  { ...LENGTHS, name: '16 users, prompts in chunks', load: { kind: 'concurrency', users: 16 }, maxBatchedTokens: 64 },
  { ...LENGTHS, name: '16 users, KV cache for a third', load: { kind: 'concurrency', users: 16 }, kvTokens: 1600 },
  { ...MANY, name: '40 requests/s', load: { kind: 'rate', perSecond: 40 } },
]

const LIMIT = 0.02

type Sample = SimAgreementResult['samples'][number]

async function sample(plan: AgreementPlan): Promise<Sample> {
  const circumstances = watchCircumstances()
  const run = await measured(plan)
  const differences = differencesOf(run.point, simulated(plan, run))
  const worst = Math.max(...differences.map(({ off }) => Math.abs(off)))
  process.stderr.write(`${plan.name}: ${(100 * worst).toFixed(2)} % at the most\n`)
  const { requests } = run.point
  return { plan, requests: requests.ok, differences, circumstances: circumstances(run.cpuS) }
}

const startMs = performance.now()
const samples: Sample[] = []
for (const plan of PLANS) samples.push(await undisturbed(() => sample(plan)))
const marks = samples.map(({ plan, differences }) => {
  const worst = differences.reduce((most, one) => (Math.abs(one.off) > Math.abs(most.off) ? one : most))
  const value = `${(100 * worst.off).toFixed(2)} % (${worst.figure})`
  const pass = differences.every(({ off }) => Math.abs(off) <= LIMIT)
  return { name: `${plan.name}: every figure`, value, limit: `± ${100 * LIMIT} %`, pass }
})
writeResult('sim-agreement', {
  ...taken(startMs, marks),
  samples,
})
writePage()
tellMarks(marks)
