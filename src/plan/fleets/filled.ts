import type { BatchFill, Plan, Trough } from '../../core/index.ts'

const DAY_S = 86_400

/** What of a batch goes into the fleet of a plan, as an answer has it. */
export function filled({ product: { name } }: Plan, trough: Trough): BatchFill {
  const { product, completionS, holds, better, own, sentence } = trough
  const { tokensPerDay } = trough[better]
  return {
    product: product.name,
    pool: name,
    tokensPerSecond: tokensPerDay / DAY_S,
    ...(completionS !== undefined && { completionS }),
    ...(holds !== undefined && { inTime: holds }),
    ...(own.gpus !== undefined && holds !== false && tokensPerDay > 0 && { gpusSaved: own.gpus }),
    trough,
    sentence,
  }
}
