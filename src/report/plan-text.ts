import { figure, objectivesName, type Plan, percent, portion } from '../core/index.ts'

/** What `plan` prints for a person: what is asked, the answer, the load it stands on and why, how it follows, what breaks first. */
export function planText(plan: Plan): string {
  const { arithmetic, breaksFirst, extrapolated } = plan
  return [
    [productLine(plan), answerLine(plan)].join('\n'),
    [choiceLine(plan), plan.reason].join('\n'),
    arithmetic.map((line) => `  ${line}`).join('\n'),
    breaksFirst.sentence,
    ...(extrapolated.length === 0 ? [] : [`Extrapolated: ${extrapolated.join('; ')}.`]),
  ].join('\n\n')
}

function productLine({ product }: Plan): string {
  const name = product.name === 'objective' ? 'Objective' : `Product ${product.name}`
  if (product.goal === 'throughput') return `${name}: the highest throughput.`
  const whom = product.share === undefined ? '' : ` for ${portion(product.share)} of requests`
  const source = product.source === undefined ? '' : ` (${product.source})`
  return `${name}: ${objectivesName(product)}${whom}${source}.`
}

function answerLine(plan: Plan): string {
  const { replicas, gpus, replicasAtPeak, gpusAtPeak, completionS } = plan
  const fleet = `${fleetOf(replicas, gpus)}`
  if (completionS !== undefined) return `Plan: ${fleet}, done in ${figure(completionS)} s (${clock(completionS)}).`
  const atPeak =
    replicasAtPeak === undefined
      ? ''
      : `; ${fleetOf(replicasAtPeak, gpusAtPeak)} with ${percent(plan.headroom ?? 0)} headroom for the peak`
  return `Plan: ${fleet} for ${figure(plan.arrivalsPerSecond ?? 0)} requests/s in the mean${atPeak}.`
}

function fleetOf(replicas: number, gpus: number | undefined): string {
  const count = `${figure(replicas)} ${replicas === 1 ? 'replica' : 'replicas'}`
  return gpus === undefined ? count : `${count} (${figure(gpus)} ${gpus === 1 ? 'GPU' : 'GPUs'})`
}

/** `26 min 3 s`, `7 h 41 min`. */
function clock(seconds: number): string {
  const whole = Math.round(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  return hours > 0 ? `${figure(hours)} h ${minutes} min` : `${minutes} min ${whole % 60} s`
}

function choiceLine({ choice, product }: Plan): string {
  const { concurrency, tokensPerSecondPerUser: pace, outputTokensPerSecond: output, source, low, high } = choice
  const around = low === undefined || high === undefined ? '' : ` (${figure(low)} to ${figure(high)}, 90 % interval)`
  const had = product.share === undefined ? '' : `${portion(product.share)} of requests have at least `
  return `Load: ${figure(concurrency)} in flight, ${source}: ${had}${figure(pace)} tok/s/user${around}, ${figure(output)} tok/s.`
}
