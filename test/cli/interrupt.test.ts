import { afterEach, expect, it, vi } from 'vitest'
import { interruptible } from '../../src/cli/interrupt.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it("the first signal aborts, the second ends the process after what little is left to do, and then signals are nobody's", () => {
  const said: string[] = []
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    // It does not come back.
    throw new Error(`exit ${code}`)
  })
  const before = process.listenerCount('SIGINT')
  const abort = interruptible(
    () => said.push('stopping'),
    () => said.push('tidying'),
  )
  process.emit('SIGINT')
  expect([abort.signal.aborted, said]).toEqual([true, ['stopping']])
  expect(() => process.emit('SIGTERM')).toThrow('exit 130')
  expect(said).toEqual(['stopping', 'tidying'])
  abort.release()
  expect(process.listenerCount('SIGINT')).toBe(before)
})
