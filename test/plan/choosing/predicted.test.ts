import { describe, expect, it } from 'vitest'
import {
  type Configuration,
  createConfiguration,
  findAccelerator,
  findModel,
  type Parallelism,
  predict,
} from '../../../src/model/index.ts'
import type { Candidate } from '../../../src/plan/candidate.ts'
import { type Choice, chooseAmong, layoutCandidates, PRODUCTS, splitCandidate } from '../../../src/plan/index.ts'

const LENGTHS = { input: 1024, output: 256 }

function everyLayout(name: string, id: string): readonly Candidate[] {
  const [model, gpu] = [findModel(name), findAccelerator(id)]
  const configurationOf = (parallelism: Parallelism): Configuration =>
    createConfiguration({ model, gpu, ...parallelism })
  return layoutCandidates({ model, gpu, gpus: 8, configurationOf }, LENGTHS)
}

describe('of layouts that nobody ran', () => {
  const candidates = ['h100-sxm', 'h200-sxm'].flatMap((id) => everyLayout('llama-3.1-70b', id))
  const product = { ...PRODUCTS.chat, ttftMs: 2000 }
  const answer = chooseAmong(candidates, product, { lengths: LENGTHS })

  it('the choice makes as much for a GPU as the best that predict foretells for any of them', () => {
    const best = candidates.flatMap(({ configuration }) => {
      if (configuration === undefined) return []
      const loads = Array.from({ length: 400 }, (_, i) => i + 1)
      const asked = { inputTokens: LENGTHS.input, outputTokens: LENGTHS.output }
      const most = predict(configuration, { lengths: asked }).memory.maxConcurrency
      const { frontier } = predict(configuration, { lengths: asked, loads: loads.filter((load) => load <= most) })
      const held = frontier.filter((load) => load.tokensPerSecondPerUser >= 25 && load.ttftMs <= 2000)
      return held.map(({ tokensPerSecondPerGpu }) => tokensPerSecondPerGpu)
    })
    expect(answer.choice.tokensPerSecondPerGpu).toBeCloseTo(Math.max(...best), 6)
  })

  it('says that it is foretold, how sure that is, and of nothing that it was measured', () => {
    expect(answer.reason).toContain('It is foretold from datasheets alone: nothing was measured.')
    expect(answer.reason).not.toMatch(/highest measured|measured loads|by the law/)
    expect(answer.confidence?.class).toBe('uncalibrated')
    expect(answer.confidence?.low).toBeLessThan(answer.choice.tokensPerSecondPerUser)
    expect(answer.confidence?.high).toBeGreaterThan(answer.choice.tokensPerSecondPerUser)
    const batch = chooseAmong(candidates, PRODUCTS.batch, { lengths: LENGTHS })
    expect(batch.reason).toContain('give the highest throughput foretold')
    const slow = { name: 'slow', goal: 'pace', tokensPerSecond: 1 } as const
    const [first] = candidates
    if (first === undefined) throw new Error('no layout fits')
    const ended = chooseAmong([first], slow, { lengths: LENGTHS })
    expect(ended.bindingConstraint).toBe('serverLimit')
    expect(ended.limitedBy).toBe('kv')
    expect(ended.reason).toContain('is about the most at once: the memory holds no more such requests')
    expect(batch.reason).toContain('More at once make hardly more: ')
  })

  it('says of the load that the server ends what it is that ends it', () => {
    const [model, gpu] = [findModel('llama-3.1-8b'), findAccelerator('h100-sxm')]
    const slow = { name: 'slow', goal: 'pace', tokensPerSecond: 1 } as const
    const ended = (prefill: number, decode: number, more: { readonly maxNumSeqs?: number } = {}): Choice => {
      const configurationOf = (parallelism: Parallelism): Configuration =>
        createConfiguration({ model, gpu, ...parallelism, ...more })
      const source = { model, gpu, gpus: 8, configurationOf }
      const pools = { prefill: { count: prefill, tp: 1 }, decode: { count: decode, tp: 1 } }
      return chooseAmong([splitCandidate(source, pools, LENGTHS)], slow, { lengths: LENGTHS })
    }
    const words = {
      prefill: 'those that read prompts are then busy for 90 % of the time',
      engine: 'the engine decodes no more',
      kv: 'the memory holds no more such requests',
    }
    for (const [by, choice] of [
      ['prefill', ended(1, 8)],
      ['engine', ended(12, 1, { maxNumSeqs: 8 })],
      ['kv', ended(12, 1)],
    ] as const) {
      expect(choice).toMatchObject({ bindingConstraint: 'serverLimit', limitedBy: by })
      for (const [other, said] of Object.entries(words)) expect(choice.reason.includes(said)).toBe(other === by)
    }
    // A floor that ends it earlier has no such cause.
    const [first] = candidates
    if (first === undefined) throw new Error('no layout fits')
    const held = chooseAmong([first], { ...slow, tokensPerSecond: 30 }, { lengths: LENGTHS })
    expect(held.bindingConstraint).toBe('floor')
    expect(held).not.toHaveProperty('limitedBy')
  })

  it('of attention that is copied each rank has its own limit', () => {
    const copied = everyLayout('gpt-oss-120b', 'h100-sxm').find(({ copies }) => copies === 4)
    if (copied === undefined) throw new Error('no layout has copies')
    const { choice, settings } = chooseAmong([copied], PRODUCTS.chat, { lengths: LENGTHS })
    expect(settings?.perCopy).toEqual({ copies: 4, inFlight: Math.floor(choice.concurrency / 4) })
  })
})
