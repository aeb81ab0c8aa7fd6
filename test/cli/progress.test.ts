import { describe, expect, it } from 'vitest'
import { createProgressLine } from '../../src/cli/progress.ts'

function stream(isTTY: boolean, columns = 40) {
  const written: string[] = []
  return { isTTY, columns, written, write: (text: string) => written.push(text) }
}

describe('the progress line', () => {
  it('is rewritten in place at most four times a second, within the width', () => {
    const out = stream(true)
    let nowMs = 0
    const line = createProgressLine(out, () => nowMs)
    for (nowMs = 0; nowMs < 1000; nowMs += 10) line.status(`at ${nowMs} ${'x'.repeat(100)}`)
    expect(out.written).toHaveLength(4)
    for (const text of out.written) {
      expect(text.startsWith('\r\u001b[K')).toBe(true)
      expect(text.length - 4).toBeLessThan(40)
    }
  })

  it('makes room for a line that stays, and goes when it is closed', () => {
    const out = stream(true)
    const line = createProgressLine(out, () => 0)
    line.status('busy')
    line.say('done')
    line.close()
    expect(out.written).toEqual(['\r\u001b[Kbusy', '\r\u001b[K', 'done\n'])
  })

  it('writes plain lines only where there is no terminal', () => {
    const out = stream(false)
    const line = createProgressLine(out, () => 0)
    line.status('busy')
    line.say('done')
    line.close()
    expect(out.written).toEqual(['done\n'])
  })
})
