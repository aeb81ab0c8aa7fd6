/**
 * Plans for a million users at once, who ask again as soon as they are answered; each asked for as a person does, as a process of its own
 * from its start to its end, on one core.
 */
import type { FleetPlan, Plan } from '../../src/core/index.ts'
import { CLIENT_CORE, runPinned, twospeed } from '../processes.ts'

export interface LargePlan {
  readonly what: string
  readonly gpusAtPeak: number
  readonly alternatives: number
  /** Of each repeat; the CPU time too, for others may be at work. */
  readonly seconds: readonly number[]
  readonly cpuS: readonly number[]
}

const USERS = ['--users', '1000000', '--input-tokens', '1024', '--output-tokens', '256', '--json']
const GPUS = ['--gpu', 'h100-sxm,h200,b200']

const ASKED: readonly (readonly [string, readonly string[]])[] = [
  ['of a law', ['--law', 'a=5ms,b=0.25ms', '--gpus', '1', '--floor', '50']],
  [
    'Llama 3.1 70B, all layouts and split pools of three GPUs',
    ['--model', 'llama-3.1-70b', ...GPUS, '--product', 'chat'],
  ],
  ['DeepSeek-V3, the same', ['--model', 'deepseek-v3', ...GPUS, '--product', 'chat']],
]

const REPEATS = 3

export async function largePlans(): Promise<readonly LargePlan[]> {
  const plans: LargePlan[] = []
  for (const [what, args] of ASKED) {
    const runs: { readonly seconds: number; readonly cpuS: number; readonly output: string }[] = []
    for (let i = 0; i < REPEATS; i++) {
      const startMs = performance.now()
      const { output, cpuS } = await runPinned(CLIENT_CORE, twospeed('plan', ...args, ...USERS))
      runs.push({ seconds: (performance.now() - startMs) / 1000, cpuS, output })
    }
    const answer = JSON.parse(runs[0]?.output ?? '') as Plan | FleetPlan
    plans.push({ what, ...sizeOf(answer), seconds: runs.map((run) => run.seconds), cpuS: runs.map((run) => run.cpuS) })
  }
  return plans
}

function sizeOf(answer: Plan | FleetPlan): Pick<LargePlan, 'gpusAtPeak' | 'alternatives'> {
  const plans = 'plans' in answer ? answer.plans : [answer]
  return {
    gpusAtPeak: plans.reduce((sum, { gpusAtPeak = 0 }) => sum + gpusAtPeak, 0),
    alternatives: plans.reduce((sum, { alternatives = [] }) => sum + alternatives.length, 0),
  }
}
