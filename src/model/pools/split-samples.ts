import type { CalibrationSample } from '../roofline/calibrate.ts'
import { createStepModel } from '../roofline/roofline.ts'
import { nameOfPools } from './split.ts'
import { splitLoop } from './split-loop.ts'
import { createSplitPools, type SplitRequest } from './split-pools.ts'

/** One load of split pools as it was measured; requests in flight are of all instances. */
export interface SplitMeasurement {
  readonly load: number
  readonly tokensPerSecondPerUser: number
  readonly ttftMs?: number
}

/** What was measured of split pools, to calibrate by: the steps of both pools are corrected alike. */
export function splitSamples(
  request: Omit<SplitRequest, 'stepModelOf'>,
  measured: readonly SplitMeasurement[],
): readonly CalibrationSample[] {
  const { writer, lengths, prefill, decode } = createSplitPools(request)
  const pools = { name: nameOfPools(prefill, decode), instances: decode.count }
  return measured.map((point) => ({
    model: writer.model,
    memory: writer.memory,
    lengths,
    load: point.load,
    pools,
    tokensPerSecondPerUser: point.tokensPerSecondPerUser,
    ...(point.ttftMs !== undefined && { ttftMs: point.ttftMs }),
    at: (correct) =>
      splitLoop(
        createSplitPools({ ...request, stepModelOf: (configuration) => correct(createStepModel(configuration)) }),
        point.load,
      ),
  }))
}
