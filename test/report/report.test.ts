import { describe, expect, it } from 'vitest'
import type { Load, Point, Run } from '../../src/core/index.ts'
import { summarizeRun } from '../../src/model/index.ts'
import { htmlReport, lawLines, markdownReport, pointsTable, textReport } from '../../src/report/index.ts'
import { repeatsTable } from '../../src/report/repeats-table.ts'
import { warningLines } from '../../src/report/words.ts'
import { simulatedRun } from '../support/simulated-run.ts'

const stepS = (batch: number, prefill: number): number => 0.005 + 0.00025 * batch + 2e-5 * prefill

async function runOf(loads: readonly number[], engine?: string): Promise<Run> {
  const { header, records } = simulatedRun(
    { stepS },
    { loads, hardware: { gpus: 1 }, ...(engine !== undefined && { engine }) },
  )
  return summarizeRun(header, records)
}

const every = [textReport, markdownReport, htmlReport] as const
const HOSTILE = `<script>alert('x')</script>&"[a](b)|\``

describe('a run for a person', async () => {
  const run = await runOf([1, 4, 16])

  it('has its numbers under each other', () => {
    const lines = pointsTable(run).split('\n')
    expect(lines).toHaveLength(5)
    const ends = lines.slice(1, 5).map((line) => line.indexOf('.'))
    expect(new Set(ends.slice(1)).size).toBe(1)
    expect(lines[0]).toContain('tok/s/user')
    expect(lines[1]).toContain('per GPU')
  })

  it('says the law with its error', () => {
    expect(lawLines(run).join('\n')).toMatch(/T\(B\) = [\d.]+ ms \+ [\d.]+ ms × B/)
    expect(lawLines(run).join('\n')).toMatch(/Its error: [\d.]+ % at the loads it was fitted to/)
  })

  it('says the throughput of the server where the GPUs are unknown', async () => {
    const { header, records } = simulatedRun({ stepS }, { loads: [1, 4, 16] })
    const unknown = await summarizeRun(header, records)
    expect(pointsTable(unknown)).toContain('server')
    expect(pointsTable(unknown)).not.toContain('per GPU')
    expect(htmlReport(unknown)).toContain('tok/s per server')
    expect(htmlReport(unknown)).not.toContain('tok/s per GPU')
  })

  it.each(every.map((report) => [report.name, report] as const))(
    '%s names a simulated engine as such, and no other',
    async (_, report) => {
      expect(report(await runOf([1, 4], 'simulated'))).toContain('SIMULATED')
      expect(report(await runOf([1, 4], 'llama'))).not.toContain('SIMULATED')
    },
  )
})

describe('text from outside', async () => {
  const run = await runOf([1, 4])
  const hostile: Run = {
    ...run,
    target: { url: `http://x/${HOSTILE}`, model: HOSTILE, engine: HOSTILE },
    hardware: { ...run.hardware, name: HOSTILE },
    workload: { ...run.workload, body: HOSTILE },
  }

  it('stays text in the page', () => {
    const page = htmlReport(hostile)
    expect(page).not.toContain('<script')
    expect(page).not.toContain("alert('x')")
    expect(page).toContain('&#60;script&#62;')
  })

  it('stays text in Markdown', () => {
    expect(markdownReport(hostile)).not.toMatch(/(^|[^\\])<script|[^\\]\[a\]/)
  })
})

describe('the page', async () => {
  const page = htmlReport(await runOf([1, 2, 4, 8, 16]))

  it('needs nothing from elsewhere and runs nothing', () => {
    expect(page).toContain('content="default-src &#39;none&#39;;')
    expect(page).not.toMatch(/<(script|link|img|iframe|object|base)\b/i)
    expect(page).not.toMatch(/\b(src|href)=|url\((?!#)|@import|\bon\w+="/i)
  })

  it('draws the frontier and tells every load', () => {
    expect(page).toContain('<svg')
    expect(page).toContain('role="img"')
    expect(page.match(/<summary>Load /g)).toHaveLength(5)
    expect(page).toContain('<h3>Overnight batch</h3>')
    // Every load holds what chat asks for, so that the card is of something else.
    expect(page).toContain('<h3>Half pace</h3>')
    expect(page).not.toContain('<h3>Chat</h3>')
  })

  it('has every element closed', () => {
    const open: string[] = []
    for (const [, slash, name = '', self] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*?(\/?)>/gi)) {
      if (self === '/' || /^(meta|br|doctype)$/i.test(name)) continue
      if (slash === '/') expect(open.pop()).toBe(name)
      else open.push(name)
    }
    expect(open).toEqual([])
  })
})

describe('a law that the points refute', async () => {
  // Step times with no line through them, nor pieces that do better.
  const times = new Map([
    [1, 0.01],
    [2, 0.022],
    [4, 0.012],
    [8, 0.031],
    [16, 0.02],
    [32, 0.055],
  ])
  const { header, records } = simulatedRun(
    { stepS: (batch) => times.get(batch) ?? 0.02 },
    { loads: [...times.keys()], hardware: { gpus: 1 } },
  )
  const run = await summarizeRun(header, records)
  const page = htmlReport(run)

  it('is told as such above every figure, with the reason', () => {
    expect(run.fit).toMatchObject({ reliable: false, errorFrom: 'leaveOneOut' })
    expect(run.fit?.errorPct).toBeGreaterThan(10)
    const [why = ''] = run.fit?.why ?? []
    expect(why).not.toBe('')
    expect(page).toContain(`<b>The law is not reliable here:</b> ${why}`)
    expect(page.indexOf('class="banner"')).toBeLessThan(page.indexOf('class="cards"'))
  })

  it('has no band and no limits in the chart', () => {
    expect(page).not.toContain('class="band"')
    expect(page).not.toContain('>solo limit ')
    expect(page).not.toContain('nine times in ten')
  })

  it('is not said of a law that holds, nor of one that nothing tests', async () => {
    expect(htmlReport(await runOf([1, 2, 4, 8, 16]))).not.toContain('class="banner"')
    const two = await runOf([1, 4])
    expect(two.fit?.reliable).toBe(false)
    expect(htmlReport(two)).not.toContain('class="banner"')
  })
})

describe('what must be doubted is said', async () => {
  const run = await runOf([1, 4])
  const [point] = run.points
  if (point === undefined) throw new Error('no point')
  const doubtful: Run = {
    ...run,
    points: [
      {
        ...point,
        window: { ...point.window, steady: false, reasons: ['windowTooShort', 'somethingNew'] },
        generator: {
          saturated: true,
          why: ['event loop lag 40 ms'],
          calibration: {
            workers: 0,
            trusted: { streams: 1024, eventsPerSecond: 20_000 },
            asked: { streams: 4096, eventsPerSecond: 80_000 },
            beyond: true,
          },
        },
        requests: { ...point.requests, failed: 3, errors: { reset: 2, timeout: 1 } },
        tokens: { ...point.tokens, source: 'mixed' },
        notes: ['outputShortfall'],
      },
    ],
  }

  it.each(every.map((report) => [report.name, report] as const))('by %s', (_, report) => {
    // Underscores and apostrophes aside, the words are the same in all three.
    const text = report(doubtful)
    for (const words of [
      'the window is too short',
      'somethingNew',
      'the load generator was saturated',
      'event loop lag 40 ms',
      'trusts it with 1,024 streams',
      'requests failed',
      'reset 2, timeout 1',
      'counted in different ways',
      'shorter than asked',
    ]) {
      expect(text).toContain(words)
    }
  })
})

describe('how sure a figure is', async () => {
  const run = await runOf([1, 4])

  it('stands beside it', () => {
    const [, , first = '', second = ''] = pointsTable(run).split('\n')
    for (const line of [first, second]) expect(line).toMatch(/^ +\d+ +[\d.]+ ±[\d.]+ +[\d.]+ +[\d.]+ ±[\d.]+ /)
    expect(htmlReport(run)).toContain('95 % intervals: TTFT p50')
    expect(htmlReport(run)).toContain('class="error"')
  })

  it('is not said where it is not known', () => {
    const unknown = { ...run, points: run.points.map(({ intervals: _, ...point }) => point) }
    for (const report of every) expect(report(unknown)).not.toMatch(/±\d|95 % intervals:|class="error"/)
  })
})

describe('a figure that changed through the window', async () => {
  const run = await runOf([1, 4])
  const [point] = run.points
  if (point === undefined) throw new Error('no point')
  const { startS } = point.window
  const drifting: Run = {
    ...run,
    points: [
      {
        ...point,
        window: { ...point.window, steady: false, reasons: ['trend'] },
        trends: [
          { figure: 'outputTokensPerSecond', kind: 'slope', change: -0.12 },
          { figure: 'decodeTokensPerSecondPerUser', kind: 'step', change: 0.3, atS: startS + 12 },
        ],
      },
    ],
  }

  it.each(every.map((report) => [report.name, report] as const))('is told by %s with how and when', (_, report) => {
    const text = report(drifting)
    expect(text).toContain('drifting')
    expect(text).toContain('output fell by 12 % through the window')
    expect(text).toContain('the pace of a user rose by 30 % 12 s into the window')
    expect(report(run)).not.toContain('drifting')
  })

  // A fifth of the window at 5 times the mean, and nothing after it, make that mean.
  it.each([
    [{ kind: 'step', change: -5, at: 0.2 }, 'output fell from 5 to 0 times its mean 6 s into the window'],
    [{ kind: 'step', change: 1.25, at: 0.8 }, 'output rose from 0.75 to 2 times its mean 24 s into the window'],
    [{ kind: 'slope', change: 2 }, 'output rose from 0 to 2 times its mean through the window'],
    [{ kind: 'slope', change: -0.5 }, 'output fell by 50 % through the window'],
  ] as const)('is told by both levels where it is large: %o', ({ kind, change, ...rest }, told) => {
    const window = { ...point.window, startS: 10, endS: 40, steady: false, reasons: ['trend'] as const }
    const at = 'at' in rest ? { atS: 10 + 30 * rest.at } : {}
    const trend = { figure: 'outputTokensPerSecond', kind, change, ...at } as const
    expect(textReport({ ...run, points: [{ ...point, window, trends: [trend] }] })).toContain(told)
  })
})

describe('a window that is too short', async () => {
  const run = await runOf([4, 8, 8])
  const short = (point: Point, lengthS: number, load: Load = point.load): Point => ({
    ...point,
    load,
    window: { startS: 10, endS: 10 + lengthS, steady: false, reasons: ['windowTooShort'] },
    littlesLaw: { ...point.littlesLaw, timeInSystemS: 2, completionsPerSecond: 1.5 },
  })
  const told = (points: readonly Point[]): string => warningLines({ ...run, points }).join('\n')
  const [at4, at8, again8] = run.points
  if (at4 === undefined || at8 === undefined || again8 === undefined) throw new Error('no point')

  it('says how long would do, and how many more requests that takes', () => {
    expect(told([short(at4, 10)])).toBe(
      'Load 4: the window is too short: it takes about 40 s, or some 45 more requests.',
    )
  })

  it('counts the pause of a user, and the distance of rare arrivals', () => {
    expect(told([short(at4, 10, { ...at4.load, thinkS: 3 })])).toContain('about 100 s')
    expect(told([short(at4, 10, { kind: 'rate', value: 0.1 })])).toContain('about 200 s')
  })

  it('says of a trace what it spans', () => {
    expect(told([short(at4, 0.7, { kind: 'trace', value: 1 })])).toContain(
      'the trace is over after 0.7 s, and a request takes 2 s: play it slower, or a longer one',
    )
  })

  it('does not blame the length of a trace that is not kept up with', () => {
    const trace = short(at4, 0.7, { kind: 'trace', value: 1 })
    const reasons = ['overloaded', 'windowTooShort']
    const text = told([{ ...trace, window: { ...trace.window, reasons } }])
    expect(text).toContain('requests came faster than they were served')
    expect(text).not.toContain('too short')
    expect(told([{ ...short(at4, 10), window: { ...short(at4, 10).window, reasons } }])).toContain('too short')
  })

  it('names the loads together, ascending, each once', () => {
    expect(told([short(at8, 10), short(at4, 20), short(again8, 10)])).toBe(
      'Load 4, 8 (twice): the window is too short: it takes about 40 s.',
    )
  })
})

describe('latencies', async () => {
  const run = await runOf([1, 4])

  it('stand in one table of the page, at p50 and p99, for each load', () => {
    const [, table = ''] = htmlReport(run).split('<h2>Latency</h2>')
    const rows = (table.split('</table>')[0] ?? '').match(/<tr>.*?<\/tr>/g) ?? []
    expect(rows).toHaveLength(3)
    expect(rows[0]).toMatch(/TTFT<br>p50.*TPOT<br>p50.*ITL<br>p50.*E2E<br>p50/)
    const { ttftMs, e2eMs } = run.points[1]?.latency ?? {}
    expect(rows[2]).toContain(`<td class="">${ttftMs?.p50?.toFixed(2)}</td>`)
    expect(rows[2]).toContain(`<td class="">${e2eMs?.p99?.toFixed(1)}</td>`)
  })

  it('call the gap between events by its name', () => {
    for (const report of [markdownReport, htmlReport]) expect(report(run)).toContain('ITL, between events')
  })
})

describe('what the law left out', async () => {
  const run = await runOf([4, 8, 8])
  const without = (points: readonly number[]): string => {
    const setAside = points.map((point) => ({ point, why: 'generatorSaturated' }))
    return lawLines({ ...run, ...(run.fit && { fit: { ...run.fit, setAside } }) }).join('\n')
  }

  it('is not told of a load of which another point stands', () => {
    expect(without([2])).toContain(
      'Left out of the law: load 8 (one of its points; another stands): the load generator',
    )
    expect(without([1, 2])).toContain('Left out of the law: load 8: the load generator')
  })
})

describe('repeats of a load', async () => {
  const run = await runOf([4, 8, 4, 8])
  const repeated: Run = { ...run, points: run.points.map((point, i) => ({ ...point, repeat: Math.floor(i / 2) })) }
  const [of4, of8] = run.repeats ?? []
  if (of4?.outputTokensPerSecond === undefined || of8 === undefined) throw new Error('no repeats')
  const apart: Run = {
    ...repeated,
    repeats: [{ ...of4, outputTokensPerSecond: { ...of4.outputTokensPerSecond, differ: true } }, of8],
  }

  it.each(every.map((report) => [report.name, report] as const))('stand together in %s', (_, report) => {
    const text = report(repeated)
    expect(text).toContain('between')
    expect(text).toContain('within')
    expect(text).toContain('8 #2')
    expect(text).not.toContain('differ by more')
    expect(report(apart)).toContain('its repeats differ by more than their intervals explain')
  })

  it('count throughput as the table above them does', () => {
    const mean = of4.outputTokensPerSecond?.mean ?? 0
    const cellsOf = (gpus: number): string => {
      const table = repeatsTable({ ...repeated, hardware: { gpus } })
      expect(table?.columns[5]?.head).toEqual(['tok/s', 'per GPU', 'mean'])
      return table?.rows[0]?.[5] ?? ''
    }
    expect(Number(cellsOf(1))).toBeCloseTo(mean, -0.5)
    expect(Number(cellsOf(4))).toBeCloseTo(mean / 4, -0.5)
    expect(repeatsTable({ ...repeated, hardware: {} })?.columns[5]?.head).toEqual(['tok/s', 'per server', 'mean'])
  })
})

it('a run without any answer is still a report', async () => {
  const { header } = simulatedRun({ stepS }, { loads: [1, 4] })
  const empty = await summarizeRun(header, [])
  for (const report of every) expect(report(empty)).not.toMatch(/NaN|undefined|Infinity/)
  expect(textReport(empty)).toContain('Law: none')
  expect(htmlReport(empty)).toContain('no frontier to draw')
})
