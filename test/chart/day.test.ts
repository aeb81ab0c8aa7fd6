import { describe, expect, it } from 'vitest'
import { type DayChart, daySvg } from '../../src/chart/index.ts'

const day: DayChart = {
  title: 'A day',
  lengthS: 86_400,
  fixed: 4,
  instants: [
    { atS: 0, arrivalsPerSecond: 2, needed: 1, following: 1 },
    { atS: 28_800, arrivalsPerSecond: 4, needed: 2, following: 3 },
    { atS: 57_600, arrivalsPerSecond: 8, needed: 4, following: 4 },
  ],
}

const placesOf = (svg: string, name: string): readonly (readonly number[])[] =>
  (new RegExp(`class="${name}" points="([^"]*)"`).exec(svg)?.[1] ?? '')
    .split(' ')
    .map((place) => place.split(',').map(Number))
const ticksOf = (svg: string): readonly string[] =>
  [...svg.matchAll(/text-anchor="middle">([^<]*)</g)].map(([, text = '']) => text)

describe('a day', () => {
  const svg = daySvg(day)

  it('has replicas that hold until the next instant, and the last to the end', () => {
    const following = placesOf(svg, 'following')
    // A corner at each change: across, then up.
    expect(following).toHaveLength(1 + 2 * 3)
    for (const [i, [x, y]] of following.entries()) {
      const [beforeX, beforeY] = following[i - 1] ?? [x, y]
      expect(x === beforeX || y === beforeY).toBe(true)
    }
    expect(following.at(-1)?.[0]).toBe(placesOf(svg, 'fixed').at(-1)?.[0])
  })

  it('has all replicas on one scale, and requests on their own', () => {
    const [fixed, needed] = [placesOf(svg, 'fixed'), placesOf(svg, 'needed')]
    expect(needed.at(-1)?.[1]).toBe(fixed[0]?.[1])
    expect(needed[0]?.[1]).toBeGreaterThan(fixed[0]?.[1] ?? 0)
    const arrivals = placesOf(svg, 'arrivals').map(([, y]) => y ?? 0)
    expect(arrivals[0]).toBeGreaterThan(arrivals[1] ?? 0)
    expect(Math.max(...arrivals)).toBeLessThan(fixed[0]?.[1] ?? 0)
  })

  it('is read by hours, a short trace by minutes or seconds', () => {
    expect(ticksOf(svg)).toEqual(['0', '3', '6', '9', '12', '15', '18', '21', '24'])
    expect(svg).toContain('hours →')
    const short = (lengthS: number): string => daySvg({ ...day, lengthS, instants: day.instants.slice(0, 1) })
    expect(ticksOf(short(3600)).at(-1)).toBe('60')
    expect(short(3600)).toContain('minutes →')
    expect(short(100)).toContain('seconds →')
    expect(ticksOf(short(30 * 86_400)).length).toBeLessThanOrEqual(10)
  })

  it('keeps a title text, and holds no number that is none', () => {
    const empty = daySvg({ ...day, title: '<script>"', instants: [] })
    expect(empty).not.toContain('<script>')
    for (const drawn of [empty, svg]) expect(drawn).not.toMatch(/NaN|Infinity|undefined/)
  })
})
