import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Leg } from '../../../src/sim/fleet/leg.ts'
import { Way } from '../../../src/sim/fleet/way.ts'

const legOf = (id: number, promptTokens: number): Leg => new Leg(id, 0, 0, 0, { atS: 0, promptTokens, outputTokens: 1 })

/** Lets requests go in at their times; at one instant first what comes out. Gives [id, end] in the order of the ends. */
function pass(way: Way, coming: readonly (readonly [number, Leg])[]): [number, number][] {
  const out: [number, number][] = []
  const emptyUntil = (untilS: number): void => {
    while (way.nextS <= untilS) {
      const endS = way.nextS
      out.push([way.take()!.id, endS])
    }
  }
  for (const [atS, leg] of coming) {
    emptyUntil(atS)
    way.add(leg, atS)
  }
  emptyUntil(Number.MAX_VALUE)
  return out
}

describe('a link', () => {
  it('is a queue with so many servers: each goes to the one that is free first', () => {
    const requests = fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 30 })), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), requests, (places, list) => {
        let atS = 0
        const coming = list.map(([gapS, tokens], id) => {
          atS += gapS
          return [atS, legOf(id, tokens)] as const
        })
        const freeS = Array<number>(places).fill(0)
        const expected = coming.map(([sinceS, { id, promptTokens }]): [number, number] => {
          const server = freeS.indexOf(Math.min(...freeS))
          const endS = Math.max(sinceS, freeS[server]!) + promptTokens
          freeS[server] = endS
          return [id, endS]
        })
        expected.sort(([a, aS], [b, bS]) => aS - bS || a - b)
        expect(pass(new Way(places, (tokens) => tokens), coming)).toEqual(expected)
      }),
    )
  })

  it('with room for all lets nobody wait; a short one overtakes', () => {
    const way = new Way(Infinity, (tokens) => tokens)
    expect(
      pass(way, [
        [0, legOf(0, 9)],
        [1, legOf(1, 2)],
        [2, legOf(2, 7)],
      ]),
    ).toEqual([
      [1, 3],
      [0, 9],
      [2, 9],
    ])
  })

  it('takes a microsecond at least', () => {
    expect(pass(new Way(1, () => 0), [[5, legOf(0, 1)]])).toEqual([[0, 5 + 1e-6]])
  })

  it('counts those that wait and those under way', () => {
    const way = new Way(2, (tokens) => tokens)
    const sizes: number[] = []
    for (let id = 0; id < 5; id++) {
      way.add(legOf(id, 1 + id), 0)
      sizes.push(way.size)
    }
    for (let id = 0; id < 5; id++) {
      way.take()
      sizes.push(way.size)
    }
    expect(sizes).toEqual([1, 2, 3, 4, 5, 4, 3, 2, 1, 0])
    expect([way.nextS, way.take()]).toEqual([Infinity, undefined])
  })
})
