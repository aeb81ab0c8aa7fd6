/** What arithmetic units take. Weights kept in fewer bits than their unit takes are widened on the way. */
export type ComputeType = 'bf16' | 'fp16' | 'fp8' | 'int8' | 'fp4'

/** One accelerator as its datasheet has it; every rate is of one of them. */
export interface Accelerator {
  readonly id: string
  readonly vendor: string
  readonly memoryBytes: number
  readonly memoryBytesPerSecond: number
  /** FLOP/s of dense matrices, a multiply and an add being two; never the figure with 2:4 sparsity. */
  readonly flopsPerSecond: Readonly<Partial<Record<ComputeType, number>>>
  /** To the other accelerators of its node or domain, one direction. */
  readonly link: { readonly name: string; readonly bytesPerSecond: number; readonly pcie?: true }
  /** How many share that link; 8 where the datasheet does not say. */
  readonly domain: number
  readonly powerW?: number
  readonly source: string
}
