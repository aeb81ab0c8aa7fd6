import { setImmediate as turn } from 'node:timers/promises'

/**
 * The same items, each asked for while the one before is worked on. The turn of the event loop lets the asking come to where it waits for
 * another thread, before the caller takes this one.
 */
export async function* ahead<T>(items: AsyncGenerator<T, void, undefined>): AsyncGenerator<T, void, undefined> {
  let next = items.next()
  try {
    for (;;) {
      const { value, done } = await next
      if (done) return
      next = items.next()
      // Where the caller stops meanwhile, nobody else waits for it.
      next.catch(() => undefined)
      await turn()
      yield value
    }
  } finally {
    await next.catch(() => undefined)
    await items.return()
  }
}
