import { describe, expect, it } from 'vitest'
import { type FrontierChart, frontierSvg } from '../../src/chart/index.ts'

const lesson = (concurrency: number): FrontierChart['points'][number] => {
  const pace = 1 / (0.005 + 0.00025 * concurrency)
  return { concurrency, tokensPerSecondPerUser: pace, outputTokensPerSecond: concurrency * pace, kind: 'measured' }
}
const around = (concurrency: number): NonNullable<FrontierChart['band']>[number] => {
  const { tokensPerSecondPerUser: pace, outputTokensPerSecond } = lesson(concurrency)
  return { tokensPerSecondPerUser: pace, outputTokensPerSecond, low: pace * 0.93, high: pace * 1.07 }
}

const loads = [1, 2, 4, 8, 16, 32, 64]
const swept: FrontierChart = {
  title: 'A sweep',
  per: 'GPU',
  points: loads.map((load) => {
    const point = lesson(load)
    const around = (value: number) => ({ low: value * 0.97, high: value * 1.03 })
    return { ...point, pace: around(point.tokensPerSecondPerUser), output: around(point.outputTokensPerSecond) }
  }),
  law: { soloLimit: 200, ceiling: 4000, trust: 'reliable' },
  band: loads.map(around),
  chosen: [
    { name: 'chat', ...lesson(20) },
    { name: 'batch', ...lesson(64) },
  ],
}
const limited: FrontierChart = {
  title: 'A server that decodes four at once',
  per: 'server',
  points: [
    ...[1, 2, 4].map(lesson),
    { ...lesson(4), concurrency: 8, kind: 'beyondLimit' },
    { ...lesson(4), concurrency: 16, kind: 'beyondLimit' },
    { concurrency: 32, tokensPerSecondPerUser: 90, outputTokensPerSecond: 500, kind: 'doubtful' },
  ],
  law: { soloLimit: 200, ceiling: 4000, trust: 'untested' },
  chosen: [
    { name: 'chat', ...lesson(4) },
    { name: 'batch', ...lesson(4) },
  ],
}
const bent: FrontierChart = {
  title: 'Points that bend',
  per: 'GPU',
  points: [1, 4, 16, 64].map((concurrency) => ({
    ...lesson(concurrency),
    outputTokensPerSecond: 30 * concurrency ** 0.8,
  })),
}
/** The law has a solo limit five times what any user had. */
const refuted: FrontierChart = {
  title: 'Points that the law misses',
  per: 'GPU',
  points: [1, 4, 16, 64].map(lesson),
  law: { soloLimit: 1000, ceiling: 3000, trust: 'refuted' },
}

/** Two ways to serve, of which none is better than the other in both speeds; a third would run slower than both. */
const among: FrontierChart = {
  title: 'Two ways to serve',
  per: 'GPU',
  points: [
    { ...lesson(1), label: 'runs/fast' },
    { ...lesson(4), kind: 'foretold', label: '' },
    { ...lesson(16), label: 'runs/cheap' },
    { ...lesson(64), kind: 'foretold', label: '' },
  ],
  floor: 60,
  chosen: [{ name: 'chat', ...lesson(46) }],
  others: [{ name: 'runs/other', concurrency: 9, tokensPerSecondPerUser: 70, outputTokensPerSecond: 700 }],
}

interface Placed {
  readonly text: string
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** Labels with the room that their letters take, at a width that no common font goes beyond by much. */
function labelsOf(svg: string): readonly Placed[] {
  const label = /<text class="label[^"]*" x="([\d.]+)" y="([\d.]+)" text-anchor="(\w+)" font-size="(\d+)">([^<]*)</g
  return [...svg.matchAll(label)].map(([, x, y, anchor, size, text = '']) => {
    const width = text.replace(/&#\d+;/g, "'").length * Number(size) * 0.52
    const left = Number(x) - (anchor === 'end' ? width : anchor === 'middle' ? width / 2 : 0)
    return {
      text,
      left,
      right: left + width,
      top: Number(y) - Number(size) * 0.75,
      bottom: Number(y) + Number(size) * 0.2,
    }
  })
}

describe.each([
  ['swept', swept],
  ['limited', limited],
  ['bent', bent],
  ['refuted', refuted],
  ['among', among],
])('the chart %s', (name, chart) => {
  const svg = frontierSvg(chart)

  it('is the one in the gallery', async () => {
    await expect(`${svg}\n`).toMatchFileSnapshot(`gallery/${name}.svg`)
  })

  it('has no label on another, nor out of the picture', () => {
    const labels = labelsOf(svg)
    expect(labels.length).toBeGreaterThanOrEqual(3)
    for (const [i, a] of labels.entries()) {
      expect(a.left).toBeGreaterThanOrEqual(0)
      expect(a.right).toBeLessThanOrEqual(760)
      for (const b of labels.slice(i + 1)) {
        const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top
        expect(apart, `${a.text} and ${b.text}`).toBe(true)
      }
    }
  })

  it('says in words what it shows', () => {
    expect(svg).toContain('role="img"')
    expect(svg).toMatch(/aria-labelledby="frontier-title frontier-desc"/)
    expect(svg).toContain(`<title id="frontier-title">${chart.title}</title>`)
    expect(svg).toContain('4 in flight: ')
  })
})

describe('a floor', () => {
  const lineOf = (chart: FrontierChart): number | undefined => {
    const at = /<line class="floor" x1="([\d.]+)" x2="([\d.]+)"/.exec(frontierSvg(chart))
    expect(at?.[1]).toBe(at?.[2])
    return at === null ? undefined : Number(at[1])
  }
  const ringOf = (chart: FrontierChart): number =>
    Number(/<circle class="chosen" cx="([\d.]+)"/.exec(frontierSvg(chart))?.[1])

  it('goes up where its pace is', () => {
    const [chosen] = among.chosen ?? []
    const floor = chosen?.tokensPerSecondPerUser ?? 0
    expect(lineOf({ ...among, floor })).toBeCloseTo(ringOf(among), 0)
    expect(lineOf(among)).toBeLessThan(ringOf(among))
  })

  it('is not drawn beyond the axis, nor where there is none', () => {
    expect(lineOf({ ...among, floor: 1000 })).toBeUndefined()
    expect(lineOf({ ...swept })).toBeUndefined()
  })
})

/** A search and its repeats measure loads that lie on each other. */
describe.each([
  [
    [1, 52, 55, 60, 61],
    [60, 61],
  ],
  [
    [1, 52, 55, 60, 61, 64],
    [60, 64],
  ],
  [
    [1, 16, 52, 55, 60, 61],
    [55, 61],
  ],
  [
    [52, 54, 56, 58, 60, 62, 64, 66, 68, 70],
    [60, 70],
  ],
  [
    [1, 2, 3, 4, 5, 6, 7, 8],
    [4, 8],
  ],
])('loads %j near each other', (near, chosen) => {
  it.each(['GPU', 'server'] as const)('have no label on another (%s)', (per) => {
    const names = ['Your objective', 'batch']
    const svg = frontierSvg({
      ...swept,
      per,
      points: near.map(lesson),
      chosen: chosen.map((load, i) => ({ name: names[i] ?? '', ...lesson(load) })),
    })
    const labels = labelsOf(svg)
    for (const [i, a] of labels.entries()) {
      for (const b of labels.slice(i + 1)) {
        const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top
        expect(apart, `${a.text} and ${b.text}`).toBe(true)
      }
    }
    expect(svg).toContain(`Your objective: ${chosen[0]} in flight`)
  })
})

describe('what is drawn', () => {
  it('is the law as a straight line from the solo limit to the ceiling', () => {
    const svg = frontierSvg(swept)
    const [, x1, y1, x2, y2] =
      /class="law-beyond" x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="([\d.]+)"/.exec(svg) ?? []
    const on = /<circle class="measured" cx="([\d.]+)" cy="([\d.]+)"/g
    for (const [, cx, cy] of svg.matchAll(on)) {
      const share = (Number(cx) - Number(x1)) / (Number(x2) - Number(x1))
      expect(Math.abs(Number(y1) + share * (Number(y2) - Number(y1)) - Number(cy))).toBeLessThan(0.3)
    }
  })

  it('is dashed throughout where the law is not reliable, and joins the points where there is none', () => {
    expect(frontierSvg(swept)).toContain('class="law"')
    expect(frontierSvg(limited)).not.toContain('class="law"')
    expect(frontierSvg(bent)).toContain('class="through"')
  })

  it('leaves the axes to the points where they refute the law, and cuts the law off there', () => {
    const svg = frontierSvg(refuted)
    const ticks = [...svg.matchAll(/class="tick" x="[\d.]+" y="434" text-anchor="middle">([\d,.]+)</g)]
    expect(Math.max(...ticks.map(([, tick = '']) => Number(tick.replace(',', ''))))).toBe(200)
    expect(svg).not.toContain('solo limit')
    expect(svg).not.toContain('class="law"')
    const ends = /class="law-beyond" x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="([\d.]+)"/.exec(svg) ?? []
    const [x1, y1, x2, y2] = ends.slice(1).map(Number)
    expect([x1, x2, y1, y2].every((end) => end !== undefined && end >= 40 && end <= 738)).toBe(true)
    const far = { ...refuted, law: { soloLimit: 1e12, ceiling: 1, trust: 'refuted' } } as const
    expect(frontierSvg(far)).not.toMatch(/NaN|Infinity/)
  })

  it('has bars for what is known of how sure a point is, through the point', () => {
    const svg = frontierSvg(swept)
    const bars = [...svg.matchAll(/class="error" x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="([\d.]+)"/g)]
    expect(bars).toHaveLength(2 * loads.length)
    const [, cx, cy] = /<circle class="measured" cx="([\d.]+)" cy="([\d.]+)"/.exec(svg) ?? []
    const [x1, y1, x2, y2] = (bars[0] ?? []).slice(1).map(Number)
    expect([y1, y2]).toEqual([Number(cy), Number(cy)])
    expect(((x1 ?? 0) + (x2 ?? 0)) / 2).toBeCloseTo(Number(cx), 0)
    expect(x1).toBeLessThan(x2 ?? 0)
    expect(frontierSvg(limited)).not.toContain('class="error"')
  })

  it('tells loads beyond the limit and doubtful ones apart by shape and word', () => {
    const svg = frontierSvg(limited)
    expect(svg).toContain('8, 16: beyond the server&#39;s limit')
    expect(svg.match(/class="beyond-limit"/g)).toHaveLength(2)
    expect(svg).toContain('<circle class="doubtful"')
    expect(svg).toContain('chat and batch: 4 in flight')
  })

  it('escapes a title, and needs no point', () => {
    const svg = frontierSvg({ title: '<a> & "b"', per: 'server', points: [] })
    expect(svg).toContain('&#60;a&#62; &#38; &#34;b&#34;')
    expect(svg).not.toMatch(/NaN|Infinity|undefined/)
  })
})
