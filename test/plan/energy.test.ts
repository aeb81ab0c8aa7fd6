import { describe, expect, it } from 'vitest'
import { energyOf } from '../../src/plan/energy.ts'
import { evidenceOfRows, plan } from '../../src/plan/index.ts'

const evidence = evidenceOfRows(
  [
    { concurrency: 20, outputTokensPerSecond: 2000 },
    { concurrency: 80, outputTokensPerSecond: 3200 },
  ],
  { gpus: 4 },
)
const chat = { name: 'chat', goal: 'pace', tokensPerSecond: 100 } as const

describe('energy at rated power', () => {
  it('is of the tokens made at the stated arrivals', () => {
    // 30 in flight, 20 of them to a server: 2 × 4 GPUs × 700 W = 5.6 kW for 3 000 tok/s.
    const answer = plan(evidence, chat, { arrivalsPerSecond: 10, outputTokens: 300 })
    const energy = energyOf(answer, 700)
    expect(answer.gpus).toBe(8)
    expect(energy?.kilowatts).toBeCloseTo(5.6, 12)
    expect(energy?.joulesPerOutputToken).toBeCloseTo(5600 / 3000, 12)
    expect(energy?.kilowattHoursPerMillionOutputTokens).toBeCloseTo(5.6 / (3000 * 3600e-6), 12)
    expect(energy?.kilowattsAtPeak).toBeCloseTo(0.7 * (answer.gpusAtPeak ?? 0), 12)
    expect(energy).not.toHaveProperty('kilowattHours')
    expect(energy?.sentence).toContain('8 GPUs × 700 W = 5.6 kW at their rated power, so at most')
  })

  it('of a batch is from its start to its end', () => {
    const batch = { name: 'batch', goal: 'throughput' } as const
    const answer = plan(evidence, batch, { requests: 10_000, outputTokens: 500 })
    const energy = energyOf(answer, 700)
    // 5 M tokens at 3 200 tok/s, by 2.8 kW.
    expect(energy?.kilowattHours).toBeCloseTo((2.8 * 5e6) / 3200 / 3600, 1)
    expect((energy?.kilowattHoursPerMillionOutputTokens ?? 0) * 5).toBeCloseTo(energy?.kilowattHours ?? 0, 9)
  })

  it('is not guessed', () => {
    const answer = plan(evidence, chat, { arrivalsPerSecond: 10, outputTokens: 300 })
    expect(energyOf(answer, undefined)).toBeUndefined()
    const { gpus: _, ...unknown } = answer
    expect(energyOf(unknown, 700)).toBeUndefined()
  })
})
