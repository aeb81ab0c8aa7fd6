import { confidenceOfSpecifications } from '../../model/index.ts'
import type { SimulateFlags } from './flags.ts'
import { processOf } from './loads.ts'
import type { PoolPlan, SimulationPlan } from './plan.ts'

type Told = Readonly<Record<string, unknown>>

/** What `run.json` says was asked of a simulation, beside the lengths of its requests. */
export function toldOf(flags: SimulateFlags, { pools, fleet }: SimulationPlan): Told {
  const { concurrency, rate, curve, trace, think, ramp, requests, duration, repeat, find, share, seed = 0 } = flags
  const isOpen = rate !== undefined || curve !== undefined || (find === true && concurrency === undefined)
  return {
    loop: trace !== undefined ? 'trace' : isOpen ? 'open' : 'closed',
    ...known({ concurrency, rates: rate, curve, think, rampS: ramp, requests, durationS: duration, repeat, share }),
    ...(isOpen && { arrivals: processOf(flags) }),
    ...(find === true && { find: concurrency === undefined && think === undefined ? 'rate' : 'concurrency' }),
    seed,
    ...known({ streamInterval: flags.streamInterval }),
    fleet: { ...fleet, pools: pools.map(poolTold) },
  }
}

/** What is endless is left out: JSON has no word for it. */
function poolTold({ step, policy, ...pool }: PoolPlan): Told {
  const timed =
    'law' in step
      ? { law: step.law }
      : {
          model: step.configuration.model.id,
          gpu: step.configuration.gpu.id,
          ...step.configuration.parallelism,
          precision: step.configuration.precision,
          kvPrecision: step.configuration.kvPrecision,
          confidence: confidenceOfSpecifications(step.configuration),
        }
  const limits = Object.entries(policy).filter(([, value]) => value !== Number.POSITIVE_INFINITY)
  return { ...pool, ...timed, policy: Object.fromEntries(limits) }
}

const known = (values: Told): Told =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
