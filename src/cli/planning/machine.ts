import { TwospeedError } from '../../core/index.ts'
import { type Accelerator, type Catalogue, findAccelerator } from '../../model/index.ts'
import type { KnownServer } from '../../plan/index.ts'

/** What flags say of the GPUs that something was measured on. */
export interface Machine {
  /** As the catalogue knows it. */
  readonly gpu?: string
  readonly gpuWatts?: number
  readonly own?: Catalogue
}

/** The GPU that is named, else the one that what was measured says it ran on, where the catalogue knows that. */
export function machineOf({ gpu, gpuWatts, own }: Machine, told?: string): Pick<KnownServer, 'gpu' | 'powerW'> {
  const found =
    gpu === undefined ? (told === undefined ? undefined : knownAccelerator(told, own)) : findAccelerator(gpu, own)
  const powerW = gpuWatts ?? found?.powerW
  return { ...(found !== undefined && { gpu: found.id }), ...(powerW !== undefined && { powerW }) }
}

/** A run may call its hardware whatever it likes. */
function knownAccelerator(name: string, own?: Catalogue): Accelerator | undefined {
  try {
    return findAccelerator(name, own)
  } catch (error) {
    if (error instanceof TwospeedError) return undefined
    throw error
  }
}
