import type { Pool } from '../pools/split.ts'
import { createSplitPools, type SplitRequest } from '../pools/split-pools.ts'
import { type SplitWay, splitWay } from '../pools/split-way.ts'
import type { CalibrationSample } from '../roofline/calibrate.ts'
import type { Lengths } from '../roofline/configuration.ts'
import { basisOf } from './basis.ts'

export interface OtherLengths extends Pick<SplitRequest, 'configurationOf'> {
  readonly prefill: Pool
  readonly decode: Pool
  readonly lengths: Lengths
  readonly samples?: readonly CalibrationSample[]
}

/** The same instances and link with requests of other lengths that nobody waits for. Throws DOES_NOT_FIT. */
export function splitWayOfLengths({ link }: SplitWay, { samples, ...request }: OtherLengths): SplitWay | undefined {
  const { lengths } = request
  const { stepModelOf } = basisOf(lengths, samples)
  const { reader, writer } = createSplitPools({ ...request, link, stepModelOf })
  return splitWay(reader, writer, lengths, link, {})
}
