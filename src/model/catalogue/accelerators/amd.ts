import type { Accelerator } from '../accelerator.ts'
import { GB, GIB, TERA } from './units.ts'

// AMD prints Infinity Fabric per link and for both directions; here it is all links to the other GPUs of a node, in one direction.

const CDNA3 = { bf16: 1307.4 * TERA, fp16: 1307.4 * TERA, fp8: 2614.9 * TERA, int8: 2614.9 * TERA } as const

export const AMD: readonly Accelerator[] = [
  {
    // Seven links of 64 GB/s. The sheet's 192 GB are GiB: the driver reports 206 141 652 992 bytes.
    id: 'mi300x',
    vendor: 'AMD',
    memoryBytes: 206_141_652_992,
    memoryBytesPerSecond: 5300 * GB,
    flopsPerSecond: CDNA3,
    link: { name: 'Infinity Fabric', bytesPerSecond: 448 * GB },
    domain: 8,
    powerW: 750,
    source: 'alpharomercoma/MI300X-vs-H200 6077fdc7, REPORT.md; MLPerf v5.1 systems; memory as rocm-smi reports it',
  },
  {
    id: 'mi325x',
    vendor: 'AMD',
    memoryBytes: 256 * GIB,
    memoryBytesPerSecond: 6000 * GB,
    flopsPerSecond: CDNA3,
    link: { name: 'Infinity Fabric', bytesPerSecond: 448 * GB },
    domain: 8,
    powerW: 1000,
    source: 'docs.vultr.com, ROCm hardware requirements; rocm.docs.amd.com, GPU specifications (256 GiB)',
  },
  {
    // Seven links of 76.8 GB/s, printed as 153 GB/s for both directions. 20.1 PFLOP/s in 4 bits are with sparsity.
    id: 'mi355x',
    vendor: 'AMD',
    memoryBytes: 309_220_868_096,
    memoryBytesPerSecond: 8000 * GB,
    flopsPerSecond: { bf16: 2516.6 * TERA, fp16: 2516.6 * TERA, fp8: 5033.2 * TERA, fp4: 10_066 * TERA },
    link: { name: 'Infinity Fabric 4', bytesPerSecond: 537.6 * GB },
    domain: 8,
    powerW: 1400,
    source: 'tomshardware.com and theregister.com, MI355X; humeconsulting.co (links); memory as rocm-smi reports it',
  },
  {
    // Two dies that software sees as two GPUs of half the size each; what stands here is both.
    id: 'mi250',
    vendor: 'AMD',
    memoryBytes: 128 * GIB,
    memoryBytesPerSecond: 3200 * GB,
    flopsPerSecond: { bf16: 362.1 * TERA, fp16: 362.1 * TERA, int8: 362.1 * TERA },
    link: { name: 'Infinity Fabric 3', bytesPerSecond: 300 * GB },
    domain: 8,
    powerW: 500,
    source: 'zexron.com, MI250 (six links); rocm.docs.amd.com, MI250 microarchitecture (50 GB/s a link); yobitel.com',
  },
]
