import { z } from 'zod'
import type { SimulatedInstant, SimulatedLane, SimulatedLink, SimulatedPoint, SimulatedPool } from '../core/index.ts'

const amount = z.number().nonnegative()
const whole = z.int().nonnegative()

const pool: z.ZodType<SimulatedPool> = z.object({
  name: z.string(),
  role: z.enum(['both', 'prefill', 'decode']),
  replicas: z.int().positive(),
  gpus: z.int().positive().exactOptional(),
  busy: amount,
  tokensPerSecond: amount,
  tokensPerSecondPerGpu: amount.exactOptional(),
  meanBatch: amount,
  meanWaiting: amount,
  meanKvShare: amount.exactOptional(),
  mostKvShare: amount.exactOptional(),
  wastedShare: amount,
  preemptions: whole,
})

const link: z.ZodType<SimulatedLink> = z.object({ busy: amount, meanMoving: amount, meanWaiting: amount })

const instant: z.ZodType<SimulatedInstant> = z.object({
  atS: z.number(),
  running: amount,
  waiting: amount,
  inTransfer: amount.exactOptional(),
  kvShare: amount.exactOptional(),
})

/** Its figures are those of a point, which records do not tell by lane: they are kept as they were written. */
const lane: z.ZodType<SimulatedLane> = z.custom<SimulatedLane>(
  (value) => typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string',
  'must be a lane with its name',
)

/** What a simulated point says of itself beyond its records. */
export const simulatedPoint: z.ZodType<SimulatedPoint> = z.object({
  lanes: z.array(lane).exactOptional(),
  pools: z.array(pool),
  link: link.exactOptional(),
  series: z.array(instant),
  preemptions: whole,
  recomputedTokens: whole,
  cachedTokens: whole,
  refused: z.object({ requests: whole, first: z.string() }).exactOptional(),
  prolonged: z.object({ asked: whole, sent: whole }).exactOptional(),
})
