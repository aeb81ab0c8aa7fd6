import type { Accelerator } from '../accelerator.ts'
import { GB, TERA } from './units.ts'

export const OTHERS: readonly Accelerator[] = [
  {
    // 21 of its 24 ports of 100 Gbit/s go to the other cards of a server.
    id: 'gaudi2',
    vendor: 'Intel',
    memoryBytes: 96 * GB,
    memoryBytesPerSecond: 2450 * GB,
    flopsPerSecond: { bf16: 432 * TERA, fp8: 865 * TERA },
    link: { name: '100 GbE ×21', bytesPerSecond: 262.5 * GB },
    domain: 8,
    powerW: 600,
    source: 'Intel at Hot Chips 2024, Gaudi 3 (table of generations); yobitel.com, Gaudi 2',
  },
  {
    id: 'gaudi3',
    vendor: 'Intel',
    memoryBytes: 128 * GB,
    memoryBytesPerSecond: 3670 * GB,
    flopsPerSecond: { bf16: 1835 * TERA, fp8: 1835 * TERA },
    link: { name: '200 GbE ×21', bytesPerSecond: 525 * GB },
    domain: 8,
    powerW: 900,
    source: 'Intel at Hot Chips 2024, Gaudi 3',
  },
  {
    id: 'tpu-v5e',
    vendor: 'Google',
    memoryBytes: 16 * GB,
    memoryBytesPerSecond: 819 * GB,
    flopsPerSecond: { bf16: 197 * TERA, int8: 393 * TERA },
    link: { name: 'ICI', bytesPerSecond: 200 * GB },
    domain: 256,
    source: 'docs.cloud.google.com, TPU v5e',
  },
  {
    id: 'tpu-v6e',
    vendor: 'Google',
    memoryBytes: 32 * GB,
    memoryBytesPerSecond: 1638 * GB,
    flopsPerSecond: { bf16: 918 * TERA, int8: 1836 * TERA },
    link: { name: 'ICI', bytesPerSecond: 400 * GB },
    domain: 256,
    source: 'docs.cloud.google.com, TPU v6e',
  },
]
