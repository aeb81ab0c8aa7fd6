import { describe, expect, it } from 'vitest'
import type { Objectives, Run } from '../../src/core/index.ts'
import { summarizeRun } from '../../src/model/index.ts'
import { choose, evidenceOfRows, evidenceOfRun, type Product } from '../../src/plan/index.ts'
import { crossedRun } from '../support/crossed-run.ts'

const { header, records } = crossedRun()
const judgedBy = (objectives: Objectives): Promise<Run> => summarizeRun({ ...header, objectives }, records)

describe('a share of requests that is to have both a pace and a wait', async () => {
  const plain = await summarizeRun(header, records)
  const last = plain.points.at(-1)
  const objectives = {
    tokensPerSecond: last?.perUser.tokensPerSecond.p10 ?? 0,
    ttftMs: last?.latency.ttftMs.p90 ?? 0,
  }
  const product = (share: number): Product => ({ name: 'test', goal: 'pace', ...objectives, share })
  const run = await judgedBy(objectives)

  it('is not had by those that have one of them: the two nines in ten are not the same', () => {
    const attained = run.points.at(-1)?.goodput?.attainment ?? 0
    expect(attained).toBeGreaterThan(0.8)
    expect(attained).toBeLessThan(0.84)
    const evidence = evidenceOfRun(run, { share: 0.9 })
    expect(evidence.curve.at(32)?.attainment).toBe(attained)
    const { choice, reason } = choose(evidence, product(0.9))
    expect(choice.concurrency).toBeGreaterThanOrEqual(16)
    // Where it falls from all to 82 % in a straight piece, 90 % is just past the middle.
    expect(choice.concurrency).toBeLessThan(26)
    expect(choice.attainment).toBeUndefined()
    expect(reason).toContain('the greatest load at which 90 % of requests have at least')
    expect(reason).toContain(`at 32 ${Math.floor(1000 * attained) / 10} % have it`)
    expect(reason).toContain('judged each by itself')
    expect(reason).toContain('its wait by a straight piece, whose error is not known')
  })

  it('is had where so many are asked as have both, and they are told', () => {
    const { choice, reason } = choose(evidenceOfRun(run, { share: 0.8 }), product(0.8))
    expect(choice).toMatchObject({ concurrency: 32, source: 'measured' })
    expect(choice.attainment).toBe(run.points.at(-1)?.goodput?.attainment)
    expect(reason).toMatch(/Of the requests measured there 8[0-4](\.\d)? % had both\./)
  })

  it('is judged by each part where the run counted something else', () => {
    const { choice, reason } = choose(evidenceOfRun(plain, { share: 0.9 }), product(0.9))
    expect(choice).toMatchObject({ concurrency: 32, source: 'measured' })
    expect(choice.attainment).toBeUndefined()
    expect(reason).toContain('how many have both is known only where it is measured')
  })

  it('is no part of the load where nobody counts requests: that is of the typical one, and says so', () => {
    const rows = [20, 80].map((load) => ({ concurrency: load, outputTokensPerSecond: load / (0.005 + 0.00025 * load) }))
    const evidence = evidenceOfRows(rows, { gpus: 1 })
    const typical: Product = { name: 'test', goal: 'pace', tokensPerSecond: 50 }
    const [one, other] = [choose(evidence, typical), choose(evidence, { ...typical, share: 0.95 })]
    expect(other.choice).toEqual(one.choice)
    expect(one.reason).not.toContain('typical request')
    expect(other.reason).toContain('That is of the typical request')
    expect(other.reason).toContain('whether 95 % of them have it')
    // Of a run they are counted.
    const counted = choose(evidenceOfRun(run, { share: 0.8 }), product(0.8))
    expect(counted.choice.share).toBe(0.8)
    expect(counted.reason).not.toContain('typical request')
    expect(other.choice).not.toHaveProperty('share')
  })

  it('of which no load gives enough is refused with the most there is', async () => {
    const late = { tokensPerSecond: 300, ttftMs: objectives.ttftMs }
    const evidence = evidenceOfRun(await judgedBy(late), { share: 0.9 })
    expect(() => choose(evidence, { name: 'test', goal: 'pace', ...late, share: 0.9 })).toThrow(
      /no load gives 90 % of requests at least 300 tok\/s and a first token within .* ms: at \S+ in flight 0 % have it/,
    )
  })
})
