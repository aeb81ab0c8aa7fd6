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
import { chooseAmong, layoutCandidates, PRODUCTS } from '../../../src/plan/index.ts'

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
    expect(ended.reason).toContain('is about the most at once: the memory, a limit of the engine')
  })

  it('of attention that is copied each rank has its own limit', () => {
    const copied = everyLayout('gpt-oss-120b', 'h100-sxm').find(({ copies }) => copies === 4)
    if (copied === undefined) throw new Error('no layout has copies')
    const { choice, settings } = chooseAmong([copied], PRODUCTS.chat, { lengths: LENGTHS })
    expect(settings?.perCopy).toEqual({ copies: 4, inFlight: Math.floor(choice.concurrency / 4) })
  })
})
