import { describe, expect, it } from 'vitest'
import { overTimeSvg } from '../../src/chart/index.ts'

const points = [
  { atS: 0, running: 4, waiting: 0, kvShare: 0.25 },
  { atS: 5, running: 8, waiting: 16, kvShare: 1 },
  { atS: 10, running: 8, waiting: 2, kvShare: 0.9 },
]

const placesOf = (svg: string, name: string): readonly (readonly number[])[] =>
  (new RegExp(`class="${name}" points="([^"]*)"`).exec(svg)?.[1] ?? '')
    .split(' ')
    .map((place) => place.split(',').map(Number))

describe('queue and cache over time', () => {
  it('rises where more waits, and has the time to the right', () => {
    const [first = [], middle = [], last = []] = placesOf(overTimeSvg({ title: 'x', points }), 'waiting')
    expect(middle[1]).toBeLessThan(last[1] ?? 0)
    expect(last[1]).toBeLessThan(first[1] ?? 0)
    expect((first[0] ?? 0) + (last[0] ?? 0)).toBeCloseTo(2 * (middle[0] ?? 0), 0)
  })

  it('has running and waiting on one scale, the cache on its own', () => {
    const svg = overTimeSvg({ title: 'x', points })
    expect(placesOf(svg, 'running')[1]?.[1]).toBeGreaterThan(placesOf(svg, 'waiting')[1]?.[1] ?? 999)
    expect(placesOf(svg, 'cache')).toHaveLength(3)
  })

  it('draws no cache where there is no limit', () => {
    const without = points.map(({ kvShare: _, ...point }) => point)
    const svg = overTimeSvg({ title: 'x', points: without })
    expect(svg).not.toContain('KV cache held')
    expect(svg).toContain('class="waiting"')
  })

  it('keeps a title text, and holds no number that is none', () => {
    const svg = overTimeSvg({ title: '<script>"', points: points.slice(0, 1).concat(points.slice(0, 1)) })
    expect(svg).not.toContain('<script>')
    expect(svg).not.toMatch(/NaN|Infinity|undefined/)
  })
})
