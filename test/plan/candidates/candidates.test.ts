import { describe, expect, it } from 'vitest'
import { createConfiguration, findAccelerator, findModel, type Parallelism } from '../../../src/model/index.ts'
import { measuredCandidate } from '../../../src/plan/candidates/measured-candidate.ts'
import {
  choose,
  evidenceOfRows,
  layoutCandidate,
  layoutCandidates,
  type SplitSource,
  splitCandidate,
} from '../../../src/plan/index.ts'

const LENGTHS = { input: 1024, output: 256 }

function sourceOf(model: string, gpu: string): SplitSource {
  const [shape, accelerator] = [findModel(model), findAccelerator(gpu)]
  return {
    model: shape,
    gpu: accelerator,
    gpus: accelerator.domain,
    configurationOf: (parallelism) => createConfiguration({ model: shape, gpu: accelerator, ...parallelism }),
  }
}

const ONE: Parallelism = { tp: 1, pp: 1, ep: 1, dp: 1 }

describe('a layout as a candidate', () => {
  it('is named, rated and laid out as the source says', () => {
    const candidate = layoutCandidate(
      { ...sourceOf('llama-3.1-70b', 'h100-sxm'), pricePerHour: 2.5 },
      { ...ONE, tp: 4 },
    )
    expect(candidate).toMatchObject({ name: 'h100-sxm TP4', kind: 'predicted', gpu: 'h100-sxm', pricePerHour: 2.5 })
    expect(candidate.powerW).toBe(findAccelerator('h100-sxm').powerW)
    expect(candidate.evidenceFor(LENGTHS)).toMatchObject({ gpus: 4, isPredicted: true, standing: 'uncalibrated' })
  })

  it('gives longer requests less, and takes those that are usual where none are said', () => {
    const candidate = layoutCandidate(sourceOf('llama-3.1-8b', 'h100-sxm'), ONE, LENGTHS)
    const paceOf = (lengths?: typeof LENGTHS): number =>
      candidate.evidenceFor(lengths).curve.at(64)?.tokensPerSecondPerUser ?? 0
    expect(paceOf({ input: 8192, output: 256 })).toBeLessThan(0.8 * paceOf())
    expect(paceOf(LENGTHS)).toBe(paceOf())
  })

  it('says which lengths it needs', () => {
    const candidate = layoutCandidate(sourceOf('llama-3.1-8b', 'h100-sxm'), ONE)
    expect(() => candidate.evidenceFor()).toThrow(/--input-tokens and --output-tokens/)
    expect(() => candidate.evidenceFor({ output: 9 })).toThrow(/: --input-tokens$/)
  })

  it('has the room of its memory, and a choice within it', () => {
    const candidate = layoutCandidate(sourceOf('llama-3.1-8b', 'h100-sxm'), ONE, LENGTHS)
    const memory = candidate.memoryFor?.(LENGTHS)
    const { choice, bindingConstraint } = choose(candidate.evidenceFor(), {
      name: 'slow',
      goal: 'pace',
      tokensPerSecond: 1,
    })
    expect(bindingConstraint).toBe('serverLimit')
    expect(choice.concurrency * (1024 + 128)).toBeLessThanOrEqual(memory?.kvCapacityTokens ?? 0)
  })

  it('is a unit for the simulator: one pool, or of split pools two and a link', () => {
    const source = sourceOf('llama-3.1-8b', 'h100-sxm')
    expect(
      layoutCandidate(source, ONE)
        .unitFor(LENGTHS)
        ?.pools.map(({ role }) => role),
    ).toEqual(['both'])
    const split = splitCandidate(source, { prefill: { count: 2, tp: 1 }, decode: { count: 3, tp: 2 } })
    expect(split).toMatchObject({ name: 'h100-sxm 2 × TP1 prefill, 3 × TP2 decode', isSplit: true, copies: 3 })
    const unit = split.unitFor(LENGTHS)
    expect(unit?.pools.map(({ role, replicas }) => [role, replicas])).toEqual([
      ['prefill', 2],
      ['decode', 3],
    ])
    expect(unit?.link).toBeDefined()
    const one = layoutCandidate(source, { ...ONE, tp: 2 }).memoryFor?.(LENGTHS)
    expect(split.memoryFor?.(LENGTHS).kvCapacityTokens).toBe(3 * (one?.kvCapacityTokens ?? 0))
  })
})

describe('every layout of one domain', () => {
  it('is there that has the memory, fewest GPUs first', () => {
    const names = layoutCandidates(sourceOf('llama-3.1-70b', 'h100-sxm'), LENGTHS).map(({ name }) => name)
    expect(names).toEqual(['h100-sxm TP2', 'h100-sxm TP4', 'h100-sxm TP8'])
    const fewer = layoutCandidates({ ...sourceOf('llama-3.1-70b', 'h100-sxm'), gpus: 4 }, LENGTHS)
    expect(fewer.map(({ name }) => name)).toEqual(['h100-sxm TP2', 'h100-sxm TP4'])
  })

  it('is refused where none has', () => {
    const tooSmall = { ...sourceOf('llama-3.1-70b', 'h100-sxm'), gpus: 1 }
    expect(() => layoutCandidates(tooSmall, LENGTHS)).toThrow(/does not fit/)
  })
})

describe('what was measured, with other lengths', () => {
  const rows = [
    { concurrency: 20, outputTokensPerSecond: 2000 },
    { concurrency: 80, outputTokensPerSecond: 3200 },
  ]
  const evidence = evidenceOfRows(rows, { lengths: { input: 1000, output: 300 } })
  const candidate = measuredCandidate(evidence, { name: 'server', kind: 'measured' })

  it('is itself with the same, or nearly the same', () => {
    expect(candidate.evidenceFor()).toBe(evidence)
    expect(candidate.evidenceFor({ input: 1000, output: 300 })).toBe(evidence)
    expect(candidate.evidenceFor({ output: 310 })).toBe(evidence)
  })

  it('is a new shape with others, whose bounds widen with the distance around the same pace', () => {
    const widthAt = (input: number): number => {
      const { curve, standing } = candidate.evidenceFor({ input, output: 300 })
      const point = curve.at(20)
      expect(standing).toBe('newShape')
      expect(point?.tokensPerSecondPerUser).toBe(100)
      const { low = 100, high = 100 } = point ?? {}
      expect(low * high).toBeCloseTo(100 ** 2, 6)
      return high / low
    }
    const widths = [2000, 4000, 8000].map(widthAt)
    expect(widths.toSorted((a, b) => a - b)).toEqual(widths)
    expect(widths[0]).toBeGreaterThan(1.5)
    expect(widthAt(500)).toBeCloseTo(widthAt(2000), 9)
  })

  it('has wider bounds the more of a step comes with the load, and where prompts and answers part', () => {
    const widthOf = (load: number, lengths: { input: number; output: number }, of = candidate): number => {
      const { low = Number.NaN, high = Number.NaN } = of.evidenceFor(lengths).curve.at(load) ?? {}
      return Math.log(high / low)
    }
    const longer = { input: 4000, output: 300 }
    // T = 5 ms + 0.25 ms·B: of 10 and of 25 ms half and four fifths come with the load.
    expect(widthOf(80, longer) / widthOf(20, longer)).toBeCloseTo((0.8 + 0.05) / (0.5 + 0.05), 6)
    expect(widthOf(20, { input: 4000, output: 1200 })).toBeLessThan(0.5 * widthOf(20, longer))
    expect(widthOf(20, { input: 4000, output: 75 })).toBeGreaterThan(1.5 * widthOf(20, longer))
    const mixture = evidenceOfRows(rows, { lengths: { input: 1000, output: 300 }, experts: { active: 8, all: 256 } })
    const ofExperts = widthOf(20, longer, measuredCandidate(mixture, { name: 'server', kind: 'measured' }))
    expect(ofExperts).toBeGreaterThan(0)
    expect(ofExperts).toBeLessThan(0.5 * widthOf(20, longer))
  })

  it('of a law alone with other lengths has the bounds that its own terms give', () => {
    const law = { baseS: 0.005, perSequenceS: 0.00025 }
    const alone = evidenceOfRows([], { law, lengths: { input: 1000, output: 300 } })
    const { curve } = measuredCandidate(alone, { name: 'law', kind: 'law' }).evidenceFor({ input: 2000, output: 300 })
    const [one, many] = [1, 80].map((load) => curve.at(load))
    for (const point of [one, many]) expect(point?.low).toBeGreaterThan(0)
    expect(Math.log((many?.high ?? 0) / (many?.low ?? 1))).toBeGreaterThan(Math.log((one?.high ?? 0) / (one?.low ?? 1)))
  })

  it('is itself where nobody knows what it was measured with', () => {
    const unknown = evidenceOfRows(rows)
    expect(measuredCandidate(unknown, { name: 'p', kind: 'measured' }).evidenceFor({ output: 9 })).toBe(unknown)
  })
})
