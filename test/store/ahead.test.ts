import { expect, test } from 'vitest'
import { ahead } from '../../src/store/ahead.ts'
import { collect } from './temporary.ts'

const log: string[] = []
async function* numbers(count: number, failAt = -1): AsyncGenerator<number, void, undefined> {
  try {
    for (let at = 0; at < count; at++) {
      if (at === failAt) throw new Error(`no ${at}`)
      log.push(`made ${at}`)
      yield at
    }
  } finally {
    log.push('closed')
  }
}

test('gives the same items, each made while the one before is worked on', async () => {
  log.length = 0
  for await (const at of ahead(numbers(3))) log.push(`took ${at}`)
  expect(log).toEqual(['made 0', 'made 1', 'took 0', 'made 2', 'took 1', 'closed', 'took 2'])
})

test('an error comes after the items before it', async () => {
  const seen: number[] = []
  await expect(
    (async () => {
      for await (const at of ahead(numbers(3, 2))) seen.push(at)
    })(),
  ).rejects.toThrow('no 2')
  expect(seen).toEqual([0, 1])
})

test('one who stops early leaves nothing open, nor an error that nobody hears', async () => {
  log.length = 0
  for await (const _ of ahead(numbers(5, 1))) break
  expect(log).toEqual(['made 0', 'closed'])
  expect(await collect(ahead(numbers(0)))).toEqual([])
})
