import type { ErrorKind, RequestRecord } from './record.ts'
import type { Point } from './run.ts'

/** How the requests that began inside the window ended. What was dropped was never sent. */
export interface RequestCounts {
  add(record: RequestRecord): void
  result(): Point['requests']
}

export function createRequestCounts(): RequestCounts {
  const by = { ok: 0, failed: 0, cancelled: 0, dropped: 0 }
  const errors: Partial<Record<ErrorKind, number>> = {}
  return {
    add: ({ outcome, error }) => {
      by[outcome] += 1
      if (outcome === 'failed' && error !== undefined) errors[error.kind] = (errors[error.kind] ?? 0) + 1
    },
    result: () => ({ sent: by.ok + by.failed + by.cancelled, ...by, errors: { ...errors } }),
  }
}
