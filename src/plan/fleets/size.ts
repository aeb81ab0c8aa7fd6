import { type Cost, type FleetSize, figure, type Plan } from '../../core/index.ts'
import { gpusOf } from '../plan-words.ts'
import { money } from '../planned-server.ts'

type Size = Omit<FleetSize, 'sentence'>
export type Sized = Pick<Plan, 'gpus' | 'gpusAtPeak'> & { readonly cost?: Pick<Cost, 'perHour' | 'perHourAtPeak'> }

/** What several pools take together; a figure that one of them lacks is absent. */
export function sizeOf(plans: readonly Sized[]): Size {
  const sum = (of: (plan: Sized) => number | undefined): number | undefined => {
    let total = 0
    for (const plan of plans) {
      const value = of(plan)
      if (value === undefined) return undefined
      total += value
    }
    return total
  }
  const gpus = sum((plan) => plan.gpus)
  const gpusAtPeak = sum((plan) => plan.gpusAtPeak ?? plan.gpus)
  const perHour = sum(({ cost }) => cost?.perHour)
  const perHourAtPeak = sum(({ cost }) => cost?.perHourAtPeak ?? cost?.perHour)
  return {
    ...(gpus !== undefined && { gpus }),
    ...(gpusAtPeak !== undefined && { gpusAtPeak }),
    ...(perHour !== undefined && { perHour }),
    ...(perHourAtPeak !== undefined && { perHourAtPeak }),
  }
}

export function sizeWords({ gpus, gpusAtPeak, perHour, perHourAtPeak }: Size): string {
  if (gpus === undefined || gpusAtPeak === undefined) return 'how many GPUs that is, is not known'
  const priced = (amount?: number): string => (amount === undefined ? '' : ` (${money(amount)} an hour)`)
  return `${gpusOf(gpus)} for the mean${priced(perHour)}, ${figure(gpusAtPeak)} for the peak${priced(perHourAtPeak)}`
}

/** Money where all of both have prices, else GPUs; undefined while they are not known. */
export function takesOf({ gpusAtPeak, perHourAtPeak }: Size, byMoney: boolean): number | undefined {
  return byMoney ? perHourAtPeak : gpusAtPeak
}
