import type { ModelShape } from '../../../src/model/catalogue/model-shape.ts'
import type { StepModel, StepWork } from '../../../src/model/roofline/index.ts'
import type { TableReport } from '../table-report.ts'
import { readText } from '../tables.ts'
import { oneLayer, partSeconds } from './one-layer.ts'
import { type Outcome, tableReport } from './report.ts'
import { accelerator, decode, prefill, stepModel } from './setup.ts'

type Cells = Readonly<Record<string, string>>

/** One of the tables that the file holds one after another, each under a line `# bench_data/<kind>/[<phase>/]<GPU>/<sizes>.csv`. */
interface Section {
  readonly kind: string
  readonly gpu: string
  readonly sizes: readonly number[]
  readonly rows: readonly Cells[]
}

function sections(): readonly Section[] {
  return readText('infersim_kernel_bench.txt')
    .split(/^# bench_data\//m)
    .filter((text) => text.trim() !== '')
    .map((text) => {
      const [path = '', header = '', ...lines] = text.trim().split(/\r?\n/)
      const names = path.replace('.csv', '').split('/')
      const keys = header.split(',')
      return {
        kind: names.slice(0, -2).join(' '),
        gpu: names.at(-2) ?? '',
        sizes: (names.at(-1) ?? '').split('-').map(Number),
        rows: lines.map((line) => Object.fromEntries(line.split(',').map((cell, i) => [keys[i], cell]))),
      }
    })
}

/** What a row is of, as a layer and a step of it; the tables of products are in 8 bits, as their FLOP/s tell. */
interface Kernel {
  readonly shape: Partial<ModelShape>
  readonly precision: string
  readonly part: string
  readonly work: StepWork
  readonly microseconds: number
  /** GPUs that the experts are shared out over. */
  readonly ep?: number
}

function kernelOf({ kind, sizes }: Section, row: Cells): Kernel | undefined {
  const microseconds = Number(row.latency_us)
  const [heads = 0, second = 0, third = 0] = sizes
  const attention = {
    part: kind.endsWith('prefill') ? 'promptAttention' : 'attention',
    precision: 'bf16',
    microseconds,
  }
  const grouped = { attention: { kind: 'grouped', heads, kvHeads: second, headDim: third } } as const
  const latent = {
    attention: { kind: 'latent', heads, kvRank: 512, nopeDim: 128, ropeDim: 64, valueDim: 128 },
  } as const
  switch (kind) {
    case 'mha decode':
    case 'mla decode': {
      if (row.dtype !== 'bf16' || row.kv_dtype !== 'bf16') return undefined
      const shape = kind === 'mha decode' ? grouped : latent
      return { ...attention, shape, work: decode(Number(row.batch_size), Number(row.kv_len)) }
    }
    case 'mha prefill':
    case 'mla prefill': {
      if (row.dtype !== 'bf16') return undefined
      return { ...attention, shape: kind === 'mha prefill' ? grouped : latent, work: prefill(1, Number(row.seq_len)) }
    }
    case 'grouped_gemm decode':
    case 'grouped_gemm prefill': {
      const ep = Number(row.num_gpus)
      const tokens = Number(row.batch_size_per_gpu ?? row.seq_len_per_gpu)
      return {
        shape: {
          hidden: Number(row.hidden_size),
          feedForward: { layers: 0, width: 0, gated: true },
          experts: {
            layers: 1,
            all: Number(row.num_experts),
            active: Number(row.topk),
            width: Number(row.intermediate_size),
            sharedWidth: 0,
          },
        },
        precision: 'fp8',
        part: 'experts',
        work: decode(tokens * ep),
        microseconds: Number(row.up_proj_us) + Number(row.down_proj_us),
        ep,
      }
    }
    default:
      return undefined
  }
}

/** Kernels on the two GPUs that only China has, by Alibaba. */
export function chineseGpus(): TableReport {
  const outcomes = sections().flatMap((section) => {
    const gpu = accelerator(section.gpu)
    return section.rows.map((row): Outcome => {
      const kernel = kernelOf(section, row)
      if (kernel === undefined) return { why: 'of kernels that are no part of a step by themselves' }
      const { shape, precision, part, work, microseconds, ep = 1 } = kernel
      const model: StepModel | undefined = gpu && stepModel({ model: oneLayer(shape), gpu, precision, tp: ep, ep })
      if (model === undefined) return { why: 'whose experts do not divide over the GPUs' }
      const group = `${section.gpu.toUpperCase()} ${section.kind.replace('_', ' ')}`
      return { groups: [group], measured: microseconds / 1e6, predicted: partSeconds(model, work, [part]) }
    })
  })
  return tableReport('infersim_kernel_bench.txt', 'Time of kernels on H20 and H800.', outcomes)
}
