/** The tables that the constants were not tuned on. */
import { firstTokens, layouts, precisions, staticBatches } from './other/argonne.ts'
import { decodeAttention, latentDecodeAttention, prefillAttention } from './other/attention.ts'
import { allReduces } from './other/collectives.ts'
import { deepseekDay } from './other/deepseek.ts'
import { expertLayers, expertsTouched } from './other/experts.ts'
import { matrixProducts } from './other/gemm.ts'
import { chineseGpus } from './other/infersim.ts'
import { denseLayers, mixedAttention, outputMatrices, profiledLayers } from './other/layers.ts'
import { splitwise } from './other/splitwise.ts'
import { maxima } from './other/trtllm.ts'
import { startedMemory } from './other/vllm-memory.ts'
import type { TableReport } from './table-report.ts'

const TABLES = [
  staticBatches,
  layouts,
  precisions,
  firstTokens,
  maxima,
  splitwise,
  startedMemory,
  deepseekDay,
  matrixProducts,
  decodeAttention,
  latentDecodeAttention,
  prefillAttention,
  mixedAttention,
  expertLayers,
  expertsTouched,
  denseLayers,
  profiledLayers,
  outputMatrices,
  allReduces,
  chineseGpus,
]

export const otherTables = (): readonly TableReport[] => TABLES.map((table) => table())
