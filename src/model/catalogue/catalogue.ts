import type { Accelerator } from './accelerator.ts'
import { AMD } from './accelerators/amd.ts'
import { NVIDIA } from './accelerators/nvidia.ts'
import { OTHERS } from './accelerators/others.ts'
import type { ModelShape } from './model-shape.ts'
import { DEEPSEEK } from './models/deepseek.ts'
import { GOOGLE } from './models/google.ts'
import { LLAMA } from './models/llama.ts'
import { MISTRAL } from './models/mistral.ts'
import { OTHERS as OTHER_MODELS } from './models/others.ts'
import { QWEN } from './models/qwen.ts'

/** What a user adds to the two lists below; of one name, the user's own counts. */
export interface Catalogue {
  readonly accelerators: readonly Accelerator[]
  readonly models: readonly ModelShape[]
}

export const ACCELERATORS: readonly Accelerator[] = [...NVIDIA, ...AMD, ...OTHERS]

export const MODELS: readonly ModelShape[] = [...LLAMA, ...QWEN, ...DEEPSEEK, ...MISTRAL, ...GOOGLE, ...OTHER_MODELS]
