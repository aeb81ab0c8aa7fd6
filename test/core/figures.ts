import {
  createPointMetrics,
  type Hardware,
  type Objectives,
  type Point,
  type PointHeader,
  type RequestRecord,
} from '../../src/core/index.ts'

/** The figures of records over a window. */
export function figures(
  records: readonly RequestRecord[],
  {
    startS = 0,
    endS = 10,
    hardware = {},
    objectives,
    header = {},
  }: {
    readonly startS?: number
    readonly endS?: number
    readonly hardware?: Hardware
    readonly objectives?: Objectives
    readonly header?: Partial<PointHeader>
  } = {},
): Point {
  const metrics = createPointMetrics(
    { load: { kind: 'concurrency', value: 1 }, window: { startS, endS, steady: true, reasons: [] }, ...header },
    hardware,
    objectives,
  )
  for (const record of records) metrics.add(record)
  return metrics.result()
}
