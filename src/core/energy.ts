/** What a fleet draws at the rated power of its GPUs, so at most; hosts and cooling are not in it. */
export interface PlanEnergy {
  /** Of the GPUs of the mean. */
  readonly kilowatts: number
  readonly kilowattsAtPeak?: number
  /** Of the tokens made at the stated arrivals, not of those that could be. */
  readonly kilowattHoursPerMillionOutputTokens: number
  readonly joulesPerOutputToken: number
  /** Of a batch, from its start to its end. */
  readonly kilowattHours?: number
  readonly sentence: string
}
