import { describe, expect, it } from 'vitest'
import type { TwospeedError } from '../../../src/core/index.ts'
import {
  ACCELERATORS,
  type Configuration,
  createConfiguration,
  findAccelerator,
  findModel,
  type Parallelism,
  predict,
} from '../../../src/model/index.ts'
import type { Candidate } from '../../../src/plan/candidate.ts'
import { layoutCandidate } from '../../../src/plan/candidates/layout-candidate.ts'
import { chooseAmong, evidenceOfRows, type Product } from '../../../src/plan/index.ts'
import { candidateOf, evidenceOfLine, LESSON } from '../../support/candidates.ts'
import { refusal } from '../../support/refusal.ts'

const pace = (tokensPerSecond: number, ttftMs?: number): Product => ({
  name: 'test',
  goal: 'pace',
  tokensPerSecond,
  ...(ttftMs !== undefined && { ttftMs }),
})

const refused = (candidates: readonly Candidate[], product: Product, lengths = LENGTHS): TwospeedError =>
  refusal(() => chooseAmong(candidates, product, { lengths }))

const LENGTHS = { input: 1024, output: 256 }
const ALONE = { lengths: { inputTokens: 1024, outputTokens: 256 }, loads: [1] }

describe('where nothing was foretold', () => {
  const lesson = evidenceOfLine({ ...LESSON, gpus: 1 })

  it('the GPUs that read memory so much faster are named, and no others', () => {
    // Alone a stream has 1/5.25 ms = 190.5 tok/s: 250 are 1.31 times as much.
    const { code, hint } = refused([candidateOf('lesson', lesson, { gpu: 'h100-sxm' })], pace(250))
    expect(code).toBe('NO_POINT_HOLDS')
    expect(hint).toContain('One stream must be 1.31 times as fast.')
    expect(hint).toContain('h200-sxm (1.43 times)')
    const own = findAccelerator('h100-sxm').memoryBytesPerSecond
    const named = ACCELERATORS.filter(({ id }) => hint.includes(`${id} (`))
    expect(named.length).toBeGreaterThan(0)
    for (const { memoryBytesPerSecond } of named) expect(memoryBytesPerSecond / own).toBeGreaterThanOrEqual(250 / 190.5)
    expect(refused([candidateOf('lesson', lesson, { gpu: 'h100-sxm' })], pace(25_000)).hint).toContain(
      'no GPU of the catalogue reads memory 131 times as fast',
    )
  })

  it('of several the nearest is told, by what it lacks', () => {
    const slow = candidateOf('slow', evidenceOfLine({ a: 0.02, b: 0.001, gpus: 1 }))
    const late = candidateOf('late', evidenceOfLine({ a: 0.002, b: 0.0001, gpus: 1, ttftMs: () => 3000 }))
    const { message, hint } = refused([slow, late, candidateOf('near', lesson)], pace(250, 500))
    expect(message).toBe(
      'none of 3 candidates holds it; the nearest is near: no load gives 250 tok/s/user: the fastest is 190 at 1 in flight (by the law)',
    )
    expect(hint).toContain('1.31 times')
    const wait = refused([slow, late], pace(100, 2900))
    expect(wait.message).toContain('the nearest is late: no load has its first token within 2,900 ms')
    expect(wait.hint).toContain('A first token must come 1.03 times as soon.')
  })

  it('a smaller batch helps only where nobody knows that it does not', () => {
    const paces = { 8: 60, 16: 58, 32: 20, 64: 19 }
    const crooked = Object.entries(paces).map(([load, each]) => ({
      concurrency: Number(load),
      outputTokensPerSecond: Number(load) * each,
    }))
    const unknown = candidateOf('crooked', evidenceOfRows(crooked, { gpus: 1 }))
    expect(unknown.evidenceFor().curve.at(1)).toBeUndefined()
    expect(refused([unknown], pace(100)).hint).toContain('Fewer than 8 in flight are quicker, and were not measured')
    expect(refused([candidateOf('lesson', lesson)], pace(250)).hint).not.toContain('in flight are quicker')
  })
})

describe('where a model on GPUs is known', () => {
  const model = findModel('llama-3.1-70b')
  const source = (id: string) => {
    const gpu = findAccelerator(id)
    const configurationOf = (parallelism: Parallelism): Configuration =>
      createConfiguration({ model, gpu, ...parallelism })
    return { model, gpu, gpus: 8, configurationOf }
  }
  const on = (id: string, tp: number): Candidate => layoutCandidate(source(id), { tp, pp: 1, ep: 1, dp: 1 })
  const paceOf = (tp: number, gpu = 'h100-sxm', precision?: string): number => {
    const options = { model, gpu: findAccelerator(gpu), tp, ...(precision !== undefined && { precision }) }
    return predict(createConfiguration(options), ALONE).frontier[0]?.tokensPerSecondPerUser ?? 0
  }

  it('more TP, another GPU and fewer bits are named where each by itself holds it, with what it gives', () => {
    const floor = 1.2 * paceOf(4)
    const { message, hint } = refused([on('h100-sxm', 4)], pace(floor))
    expect(message).toContain('(foretold)')
    expect(hint).toContain('One stream must be 1.2 times as fast.')
    expect(paceOf(8)).toBeGreaterThan(floor)
    expect(hint).toContain(`More TP would hold it: TP8 (${paceOf(8).toFixed(1).replace(/\.0$/, '')} tok/s/user`)
    expect(paceOf(4, 'h200-sxm')).toBeGreaterThan(floor)
    expect(hint).toMatch(/Another GPU would hold it: h200-sxm \(/)
    expect(paceOf(4, 'h100-sxm', 'fp8')).toBeGreaterThan(floor)
    expect(hint).toMatch(/Fewer bits would hold it: fp8 \(/)
  })

  it('what does not hold it is not named', () => {
    const floor = 1.05 * Math.max(paceOf(8), paceOf(4, 'h200-sxm'))
    const { hint } = refused([on('h100-sxm', 4)], pace(floor))
    expect(hint).not.toContain('More TP would')
    expect(hint).not.toContain('h200-sxm (')
    expect(refused([on('h100-sxm', 8)], pace(100_000)).hint).toContain('Nothing of the catalogue holds it')
  })

  it('prompts that are read by more GPUs bring the first token within its limit', () => {
    const lengths = { input: 16_000, output: 256 }
    const one = on('h100-sxm', 4)
    const alone = one.evidenceFor(lengths).curve.at(1)?.ttftMs ?? 0
    const { hint } = refused([one], pace(10, 0.8 * alone), lengths)
    expect(hint).toContain('A first token must come 1.25 times as soon.')
    expect(hint).toContain('Split pools would hold it: prompts read at TP8')
    expect(refused([one], pace(10, 0.1 * alone), lengths).hint).not.toContain('Split pools would')
  })
})
