import { describe, expect, it } from 'vitest'
import { parseTrace } from '../../../src/record/index.ts'
import { createSource } from '../../../src/sim/arrivals/create-source.ts'
import { createIds } from '../../../src/sim/arrivals/work.ts'
import { played } from './sources.ts'

const source = (lines: readonly string[], speedup = 1) =>
  createSource({ arrivals: { kind: 'trace', trace: parseTrace(lines, speedup) } })

describe('a trace', () => {
  it('of Azure comes once, row for row, in the time it took or faster', () => {
    const lines = [
      'TIMESTAMP,ContextTokens,GeneratedTokens',
      '2023-11-16 18:15:46.6805900,374,44',
      '2023-11-16 18:15:50.9951690,396,109',
      '2023-11-16 18:15:51.2224670,879,55',
    ]
    expect(played(source(lines), 9)).toEqual([
      { atS: 0, promptTokens: 374, outputTokens: 44 },
      { atS: 4.314579, promptTokens: 396, outputTokens: 109 },
      { atS: 4.541877, promptTokens: 879, outputTokens: 55 },
    ])
    expect(played(source(lines, 2), 9).map(({ atS }) => atS)).toEqual([0, 2.15729, 2.270939])
    const ended = source(lines)
    played(ended, 3)
    expect(ended.nextS).toBe(Number.POSITIVE_INFINITY)
    expect(() => ended.take()).toThrow(RangeError)
  })

  it('of Mooncake has prompts of blocks, the last of which is cut where the prompt ends', () => {
    const lines = [
      '{"timestamp":0,"input_length":1100,"output_length":5,"hash_ids":[46,47,48]}',
      '{"timestamp":3000,"input_length":1024,"output_length":7,"hash_ids":[46,99]}',
    ]
    const [first, second] = played(source(lines), 2)
    expect(first?.parts?.map(({ tokens }) => tokens)).toEqual([512, 512, 76])
    expect(second?.parts?.map(({ tokens }) => tokens)).toEqual([512, 512])
    expect(second?.parts?.[0]?.id).toBe(first?.parts?.[0]?.id)
    expect(new Set([...(first?.parts ?? []), ...(second?.parts ?? [])].map(({ id }) => id)).size).toBe(4)
  })

  it('of another lane shares nothing by accident', () => {
    const lines = ['{"timestamp":0,"input_length":10,"output_length":5,"hash_ids":[0]}']
    const nextId = createIds()
    const trace = parseTrace(lines)
    const id = () => createSource({ arrivals: { kind: 'trace', trace } }, nextId).take().parts?.[0]?.id
    expect(id()).not.toBe(id())
  })

  it('without lengths is refused, every such row named', () => {
    const lines = [
      '{"atS":0,"inputTokens":5,"outputTokens":6}',
      '{"atS":1,"body":{"messages":[]}}',
      '{"atS":2,"body":{}}',
    ]
    expect(() => source(lines)).toThrow(/[Rr]equest 2 of the trace.*request 3 of the trace/)
    expect(() => source(lines.slice(0, 1))).not.toThrow()
  })
})
