import { figure, type Plan, type PlanEnergy } from '../core/index.ts'

const SECONDS_PER_HOUR = 3600
const JOULES_PER_KILOWATT_HOUR = 3.6e6

/**
 * What a plan draws where each GPU takes its rated power all the time:
 *
 *     J / token = GPUs · W / (tok/s)        kWh / million tokens = J / token ÷ 3.6
 *
 * It is an upper bound: decoding waits for memory and draws less. Undefined while the GPUs or their power are unknown.
 */
export function energyOf(plan: Omit<Plan, 'energy'>, powerW: number | undefined): PlanEnergy | undefined {
  const { gpus, gpusAtPeak, completionS } = plan
  const tokensPerSecond = tokensPerSecondOf(plan)
  if (gpus === undefined || powerW === undefined || tokensPerSecond === undefined) return undefined
  const watts = gpus * powerW
  const joules = watts / tokensPerSecond
  const perMillion = (1e6 * joules) / JOULES_PER_KILOWATT_HOUR
  const total = completionS === undefined ? undefined : (watts * completionS) / SECONDS_PER_HOUR / 1000
  const whole = total === undefined ? '' : `, ${figure(total)} kWh for the whole batch`
  return {
    kilowatts: watts / 1000,
    ...(gpusAtPeak !== undefined && { kilowattsAtPeak: (gpusAtPeak * powerW) / 1000 }),
    kilowattHoursPerMillionOutputTokens: perMillion,
    joulesPerOutputToken: joules,
    ...(total !== undefined && { kilowattHours: total }),
    sentence: `Energy: ${gpus === 1 ? '1 GPU' : `${figure(gpus)} GPUs`} × ${figure(powerW)} W = ${figure(watts / 1000)} kW at their rated power, so at most; ÷ ${figure(tokensPerSecond)} tok/s = ${figure(joules)} J a token, ${figure(perMillion)} kWh a million output tokens${whole}.`,
  }
}

/** Made at the stated arrivals, or by a batch while it runs. */
function tokensPerSecondOf({
  arrivalsPerSecond,
  outputTokens,
  requests,
  completionS,
}: Omit<Plan, 'energy'>): number | undefined {
  if (arrivalsPerSecond !== undefined) return arrivalsPerSecond * outputTokens
  return requests === undefined || completionS === undefined ? undefined : (requests * outputTokens) / completionS
}
