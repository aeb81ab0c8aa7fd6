import { figure, type Plan, type PlanAlternative, percent } from '../../core/index.ts'
import { limitWords } from '../limit-words.ts'
import { gpusOf, lasting } from '../plan-words.ts'
import { money, moneyBeside } from '../planned-server.ts'
import type { Measure, Way } from './way.ts'

/** Another way beside the one that is taken, with what it takes and why it is behind. */
export function behind(way: Way, best: Way, measure: Measure): PlanAlternative {
  const { replicas, replicasAtPeak, pools, gpus, gpusAtPeak, completionS, cost, choice } = way.plan
  return {
    configuration: way.name,
    holds: true,
    choice,
    replicas,
    ...(replicasAtPeak !== undefined && { replicasAtPeak }),
    ...(pools !== undefined && { pools }),
    ...(gpus !== undefined && { gpus }),
    ...(gpusAtPeak !== undefined && { gpusAtPeak }),
    ...(completionS !== undefined && { completionS }),
    ...(cost !== undefined && { cost }),
    sentence: `${takenMore(way, best, measure)}${why(way, best)}.`,
  }
}

const peakOf = ({ gpus = 0, gpusAtPeak }: Plan): number => gpusAtPeak ?? gpus

function takenMore(way: Way, best: Way, measure: Measure): string {
  const more = measure.of(way) - measure.of(best)
  const { plan } = way
  if (plan.completionS !== undefined && plan.deadlineS === undefined) {
    return more > 0
      ? `Takes ${percent(more / measure.of(best))} more ${measure.what === 'money' ? 'money' : 'GPU-hours'}, ${lasting(plan.completionS)} on ${gpusOf(peakOf(plan))}`
      : measure.what === 'money'
        ? 'Costs as much'
        : 'Takes as many GPU-hours'
  }
  if (more <= 0) return measure.what === 'money' ? 'Costs as much' : `Takes as many GPUs`
  if (measure.what === 'money') return `Costs ${money(more)} an hour more at the peak (${gpusOf(peakOf(plan))})`
  return `Takes ${gpusOf(more)} more at the peak, ${figure(peakOf(plan))} for ${figure(peakOf(best.plan))}`
}

/** What it is that it takes more for: less for each GPU, or replicas that come whole. */
function why({ plan, pricePerHour }: Way, best: Way): string {
  const [own, other] = [plan.choice.tokensPerSecondPerGpu ?? 0, best.plan.choice.tokensPerSecondPerGpu ?? 0]
  const pace = plan.perReplica.tokensPerSecondPerUser
  const bestPace = best.plan.perReplica.tokensPerSecondPerUser
  if (own < other * 0.995) return `: it makes ${figure(own)} tok/s/GPU for ${figure(other)}; ${ending(plan)}`
  if (peakOf(plan) > peakOf(best.plan)) {
    return `: a GPU makes no less, ${figure(own)} tok/s, but they come ${wholeOf(plan)}, and more of that stands idle`
  }
  if (pricePerHour !== undefined && pricePerHour > (best.pricePerHour ?? pricePerHour)) {
    return `: a GPU costs ${moneyBeside(pricePerHour, best.pricePerHour ?? 0).join(' an hour for ')}`
  }
  return `, but a user has ${figure(pace)} tok/s for ${figure(bestPace)}`
}

function wholeOf({ pools, gpus = 1, replicas }: Plan): string {
  return pools === undefined
    ? `${figure(gpus / replicas)} at a time`
    : `${figure(pools.prefill.gpusPerInstance)} and ${figure(pools.decode.gpusPerInstance)} at a time`
}

/** What ends its load. */
function ending({ bindingConstraint, limitedBy, pools, choice, gpus = 1, replicas }: Plan): string {
  const reading = pools && pools.prefill.instances * pools.prefill.gpusPerInstance
  const split = pools && `${figure(reading ?? 0)} of its ${gpusOf(gpus)} for the mean only read prompts, and `
  const load = pools
    ? 'in those that answer'
    : `at ${figure(choice.concurrency)} in flight on ${gpusOf(gpus / replicas)}`
  const ended = {
    floor: `the floor ends its load ${load}`,
    ttft: `the wait for the first token ends its load ${load}`,
    kv: `memory ends its load ${load}`,
    serverLimit: limitedBy === undefined ? `it decodes no more at once ${load}` : `${load} ${limitWords(limitedBy)}`,
    measuredRange: `nothing greater was measured ${load}`,
    throughput: `it makes most ${load}`,
    deadline: `the deadline asks for it ${load}`,
    failures: `requests fail ${load}`,
    clientLimit: `its client could do no more ${load}`,
  }[bindingConstraint]
  return `${split ?? ''}${ended}`
}
