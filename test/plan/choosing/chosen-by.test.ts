import { describe, expect, it } from 'vitest'
import { chooseAmong, evidenceOfRows, measuredCandidate, type Product } from '../../../src/plan/index.ts'

const product: Product = { name: 'test', goal: 'pace', tokensPerSecond: 50 }

const measured = (name: string, lengths?: { readonly input: number; readonly output: number }) => {
  const rows = [4, 16, 64].map((concurrency) => ({
    concurrency,
    outputTokensPerSecond: concurrency / (0.005 + 0.0002 * concurrency),
  }))
  return measuredCandidate(evidenceOfRows(rows, { gpus: 1, ...(lengths && { lengths }) }), { name, kind: 'measured' })
}

describe('what it was chosen by', () => {
  const short = measured('short', { input: 512, output: 128 })

  it('says that candidates were measured with other requests, and which', () => {
    const { chosenBy } = chooseAmong([short, measured('long', { input: 8192, output: 1024 })], product)
    expect(chosenBy?.lengths).toEqual([
      { configuration: 'short', input: 512, output: 128 },
      { configuration: 'long', input: 8192, output: 1024 },
    ])
    expect(chosenBy?.sentence).toMatch(
      /not measured with the same requests, .*: tokens of short 512 in and 128 out, long 8,192 in and 1,024 out\.$/,
    )
  })

  it('says nothing of it where they were alike, or it is not known', () => {
    for (const other of [measured('alike', { input: 520, output: 127 }), measured('unknown')]) {
      const { chosenBy } = chooseAmong([short, other], product)
      expect(chosenBy?.sentence).toMatch(/^short is chosen/)
      expect(chosenBy?.sentence).not.toContain('same requests')
      expect(chosenBy).not.toHaveProperty('lengths')
    }
  })
})
