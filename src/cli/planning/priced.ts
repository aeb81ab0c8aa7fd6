import { TwospeedError } from '../../core/index.ts'
import { type Catalogue, findAccelerator } from '../../model/index.ts'
import type { Candidate, SplitSource } from '../../plan/index.ts'
import type { GpuHour } from './gpu-hour.ts'

interface Offered {
  readonly candidates: readonly Candidate[]
  readonly splits: readonly SplitSource[]
}

/**
 * With the price of their own GPUs. One price for all is not of them but of the question. Throws CONFLICTING_FLAGS with each
 * name that is of none, and with each GPU that has no price while others have.
 */
export function priced(offered: Offered, prices: GpuHour | undefined, own?: Catalogue): Offered {
  if (prices === undefined || typeof prices === 'number') return offered
  const { candidates, splits } = offered
  const byGpu = new Map(Object.entries(prices).map(([name, price]) => [findAccelerator(name, own).id, price] as const))
  const used = new Set(candidates.map(({ gpu }) => gpu))
  const problems = [
    ...[...byGpu.keys()]
      .filter((gpu) => !used.has(gpu))
      .map((gpu) => `--gpu-hour has a price of ${gpu}, which nothing runs on`),
    ...[...used]
      .filter((gpu) => gpu === undefined || !byGpu.has(gpu))
      .map((gpu) => `--gpu-hour has no price of ${gpu ?? unnamed(candidates)}`),
  ]
  if (problems.length > 0) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      problems.join('; '),
      'Give a price of each GPU that there is to choose from, or one for all: --gpu-hour 2.5. --gpu says what something measured ran on.',
    )
  }
  const priceOf = (gpu: string | undefined): { readonly pricePerHour?: number } => {
    const price = byGpu.get(gpu ?? '')
    return price === undefined ? {} : { pricePerHour: price }
  }
  return {
    candidates: candidates.map((candidate) => ({ ...candidate, ...priceOf(candidate.gpu) })),
    splits: splits.map((source) => ({ ...source, ...priceOf(source.gpu.id) })),
  }
}

const unnamed = (candidates: readonly Candidate[]): string =>
  `the GPUs of ${candidates.find(({ gpu }) => gpu === undefined)?.name ?? ''}, which are not named`
