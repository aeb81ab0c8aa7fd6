import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Hardware, Load, Objectives, RequestRecord } from '../../src/core/index.ts'
import type { Expectations } from '../support/cases.ts'

/** A case of `test/fixtures/cases/metrics`: records in, figures out. */
export interface MetricsCase {
  readonly id: string
  readonly title: string
  readonly hardware: Hardware
  readonly objectives?: Objectives
  readonly points: readonly {
    readonly load: Load
    readonly window: { readonly startS: number; readonly endS: number }
  }[]
  readonly requests: readonly RequestRecord[]
  /** How many records each gzip member holds; absent: all in one. */
  readonly members?: readonly number[]
  /** Only so many bytes of the last member reached the disk. */
  readonly keepLastBytes?: number
  readonly expect: Expectations
}

/** Writes a run folder into `dir`, whose `run.json` holds nothing that can be computed from the records. */
export function writeRunOfCase(given: MetricsCase, dir: string): void {
  const header = {
    schema: 'twospeed/run@1',
    createdAt: '2026-01-01T00:00:00.000Z',
    twospeed: '0.0.0',
    target: { url: 'http://127.0.0.1:1/v1', model: 'case' },
    hardware: given.hardware,
    workload: { name: given.id },
    ...(given.objectives && { objectives: given.objectives }),
    points: given.points,
  }
  writeFileSync(join(dir, 'run.json'), JSON.stringify(header))
  writeFileSync(join(dir, 'requests.jsonl.gz'), Buffer.concat(membersOf(given)))
}

function membersOf({ requests, members = [requests.length], keepLastBytes }: MetricsCase): readonly Buffer[] {
  const ends = members.map((_, at) => members.slice(0, at + 1).reduce((sum, size) => sum + size, 0))
  if (ends.at(-1) !== requests.length) throw new Error('the members must hold all records')
  return ends.map((end, at) => {
    const lines = requests.slice(ends[at - 1] ?? 0, end).map((record) => `${JSON.stringify(record)}\n`)
    const member = gzipSync(lines.join(''))
    return at === ends.length - 1 ? member.subarray(0, keepLastBytes) : member
  })
}
