import { describe, expect, it } from 'vitest'
import type { Fit } from '../../src/core/index.ts'
import { summarizeRun } from '../../src/model/index.ts'
import { simulatedRun } from '../support/simulated-run.ts'

const stepS = (batch: number): number => 0.005 + 0.00025 * batch

describe('summarizeRun', async () => {
  const { header, records } = simulatedRun(
    { stepS },
    { loads: [1, 2, 4, 8, 16, 32], outputTokens: 60, hardware: { gpus: 2 } },
  )
  const run = await summarizeRun(header, records)

  it('finds the law that the server followed', () => {
    expect(run.fit).toMatchObject({ reliable: true, why: [], gpus: 2, lengths: { input: 64, output: 60 } })
    // B is a mean over a window in which starts and ends are in step, so it is a little below the batch of most steps.
    expect(run.fit?.stepMs?.base).toBeCloseTo(5, 1)
    expect(run.fit?.stepMs?.perSequence).toBeCloseTo(0.25, 1)
    expect(run.fit?.ceilingTokensPerSecondPerGpu).toBeGreaterThan(1900)
    expect(run.fit?.ceilingTokensPerSecondPerGpu).toBeLessThan(2000)
  })

  it('has the experts of its model, as `fit` has them, and none of a model that nobody knows', async () => {
    const mixture = (batch: number): number => 0.004 + 0.0001 * batch + 0.02 * (1 - (1 - 8 / 256) ** batch)
    const bent = simulatedRun({ stepS: mixture }, { loads: [1, 4, 16, 32, 64, 128], outputTokens: 60 })
    const of = async (model: string): Promise<Fit | undefined> =>
      (await summarizeRun({ ...bent.header, target: { ...bent.header.target, model } }, bent.records)).fit
    const [known, unknown] = [await of('deepseek-ai/DeepSeek-V3'), await of('test-model')]
    expect(known).toMatchObject({ law: 'expert', stepMs: { experts: { active: 8, all: 256 } } })
    expect(known?.stepMs?.experts?.ms).toBeCloseTo(20, 0)
    expect(unknown?.law).toBe('affine')
    expect(known?.errorPct).toBeLessThan((unknown?.errorPct ?? 0) / 2)
    // Of a straight server it is a straight line, whatever its model.
    const straight = await summarizeRun({ ...header, target: { ...header.target, model: 'deepseek-v3' } }, records)
    expect(straight.fit).toEqual(run.fit)
  })

  it('draws a frontier that holds every measured load', () => {
    const measured = run.frontier?.filter(({ source }) => source === 'measured').map(({ concurrency }) => concurrency)
    expect(measured).toEqual([1, 2, 4, 8, 16, 32])
  })

  it('is the same from an iterator that waits, and whatever the header claimed of its results', async () => {
    async function* later(): AsyncGenerator<(typeof records)[number]> {
      for (const record of records) yield record
    }
    expect(await summarizeRun(header, later())).toEqual(run)
    expect(await summarizeRun(run, records)).toEqual(run)
  })

  it('has neither fit nor frontier without a pace, and does not mind a point that the header lacks', async () => {
    const empty = await summarizeRun(header, [])
    expect(empty.points).toHaveLength(6)
    expect(empty.fit).toBeUndefined()
    expect(empty.frontier).toBeUndefined()
    const [first] = records
    if (first === undefined) throw new Error('no record')
    await expect(summarizeRun(header, [{ ...first, point: 99 }])).resolves.toMatchObject({ points: { length: 6 } })
  })

  it('says of one load that it makes no law', async () => {
    const one = simulatedRun({ stepS }, { loads: [8] })
    const { fit } = await summarizeRun(one.header, one.records)
    expect(fit).toMatchObject({ reliable: false, why: ['one load does not make a line'] })
    expect(fit?.stepMs).toBeUndefined()
  })

  it('leaves a load out of the law that was hardly measured, and only that', async () => {
    // A window that is shorter than a request of its last load: nobody who began inside it ended there.
    const points = header.points.map((point, at) => {
      const { startS } = point.window
      return at < 5 ? point : { ...point, window: { ...point.window, startS: startS + 0.3, endS: startS + 0.5 } }
    })
    const { fit, points: measured } = await summarizeRun({ ...header, points }, records)
    expect(measured[5]?.littlesLaw.completionsPerSecond).toBe(0)
    expect(fit?.setAside).toEqual([{ point: 5, why: 'hardlyMeasured' }])
    expect(fit?.range.max).toBeLessThan(17)
    expect(run.fit?.setAside).toBeUndefined()
  })
})
