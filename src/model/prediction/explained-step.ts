import type { Prediction } from '../../core/index.ts'
import { meanStepAt, type PredictedPoint } from '../roofline/closed-loop.ts'
import type { Lengths } from '../roofline/configuration.ts'
import type { Memory } from '../roofline/memory.ts'
import type { StepModel } from '../roofline/step-model.ts'

/**
 * Where the time of a step goes, at a load. Some steps carry a piece of a prompt, the others decode alone; a user feels the mean,
 *
 *     T = (1 − φ)·T(n, 0) + φ·T(n, P)
 */
export function explainedStep(
  model: StepModel,
  memory: Memory,
  lengths: Lengths,
  point: PredictedPoint,
): NonNullable<Prediction['step']> {
  const { alone, mixed, mixedShare, chunk } = meanStepAt(model, memory, lengths, point.load)
  const others = new Map(model.parts(mixed).map((part) => [part.name, part]))
  const parts = model.parts(alone).map((part) => {
    const other = others.get(part.name) ?? part
    const mean = (key: 'seconds' | 'bytes' | 'flops'): number => (1 - mixedShare) * part[key] + mixedShare * other[key]
    const isMostlyMixed = mixedShare * other.seconds > (1 - mixedShare) * part.seconds
    return {
      name: part.name,
      ms: 1000 * mean('seconds'),
      decodeOnlyMs: 1000 * part.seconds,
      withPromptMs: 1000 * other.seconds,
      binds: (isMostlyMixed ? other : part).binds,
      bytes: mean('bytes'),
      flops: mean('flops'),
    }
  })
  return {
    concurrency: point.load,
    sequences: alone.sequences,
    contextTokens: alone.contextTokens,
    promptTokens: chunk,
    promptShare: mixedShare,
    ms: parts.reduce((sum, { ms }) => sum + ms, 0),
    parts,
  }
}
