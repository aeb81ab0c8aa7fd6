import {
  createPointMetrics,
  type Point,
  type PointHeader,
  type RequestRecord,
  type RunHeader,
  TwospeedError,
} from '../core/index.ts'
import { deploymentOf, type SearchState, searchOf } from '../model/index.ts'
import type { RunWriter } from '../store/index.ts'
import type { NextLoad } from './ladder.ts'

/** Chooses each load by what the ones before it gave. */
export interface LoadSearch {
  /** The run's writer, listened to. */
  readonly writer: RunWriter
  /** The point whose records were written last is over. */
  measured(point: PointHeader): void
  next(): NextLoad
  /** Of a search that is over and found no load: what to say. */
  failure(): TwospeedError | undefined
}

/**
 * The policy is told each point's figures, computed from its records as soon as its window is known. Until then they are held in memory:
 * those of one point, and only for a run that searches.
 */
export function createLoadSearch(header: RunHeader, writer: RunWriter): LoadSearch {
  const points: Point[] = []
  let records: RequestRecord[] = []
  const state = (): SearchState | undefined => searchOf(header, points, deploymentOf(header, points))
  return {
    writer: {
      ...writer,
      append(record) {
        writer.append(record)
        records.push(record)
      },
    },
    measured(point) {
      const metrics = createPointMetrics(point, header.hardware, header.objectives)
      for (const record of records) metrics.add(record)
      points.push(metrics.result())
      records = []
    },
    next() {
      const found = state()
      if (found?.next !== undefined) return { kind: 'load', load: { kind: 'concurrency', value: found.next } }
      return { kind: 'end', ...(found !== undefined && { why: found.search.sentence }) }
    },
    failure() {
      const found = state()
      if (found?.search.kind !== 'find' || found.next !== undefined || found.choices !== undefined) return undefined
      const judged = found.search.tried.some(({ verdict }) => verdict === 'misses')
      return judged
        ? new TwospeedError(
            'NO_POINT_HOLDS',
            found.search.sentence,
            'Lower what is asked, or make one stream faster: fewer bytes a step, shorter prompts, more or faster GPUs for one replica.',
          )
        : new TwospeedError('NO_POINTS', found.search.sentence, 'See what run.json says of the point.')
    },
  }
}
