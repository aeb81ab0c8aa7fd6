import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createAnswerCounter, createCounterHere } from '../../../src/load/counting/answer-counter.ts'

const built = new URL('../../../dist/load/counting/answer-counter.js', import.meta.url)
const fixture = fileURLToPath(new URL('../../fixtures/tokenizer', import.meta.url))
const letters = (text: string): number => text.length

/** As it is built: a worker loads no TypeScript. */
async function ofBuild(): Promise<typeof createAnswerCounter> {
  if (!existsSync(built)) throw new Error('dist/ is not built: npm run build')
  return (await import(built.href)).createAnswerCounter
}

describe('answers', () => {
  it('are counted in a thread of their own, each by its own texts', async () => {
    const counter = (await ofBuild())(fixture, () => 1000)
    const counts = [[' word word'], [' story', 'word'], [], ['abc', ' story', ' word']].map(counter.count)
    expect(await Promise.all(counts)).toEqual([2, 3, 0, 6])
    counter.close()
  })

  it('are counted here where that thread fails, before it is known and after', async () => {
    const counter = (await ofBuild())('/nowhere', letters)
    expect(await counter.count(['abc', 'de'])).toBe(5)
    expect(await counter.count(['a'])).toBe(1)
    counter.close()
  })

  it('are counted here where there is no thread to be had, and in a later turn', async () => {
    for (const counter of [createAnswerCounter(fixture, letters), createCounterHere(letters)]) {
      let isCounted = false
      const done = counter.count(['abc', 'de']).then((tokens) => {
        isCounted = true
        return tokens
      })
      await Promise.resolve()
      expect(isCounted).toBe(false)
      expect(await done).toBe(5)
      counter.close()
    }
  })
})
