import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Run } from '../../src/core/index.ts'
import { type FakeBehaviour, startFakeTarget, streamed } from '../load/fake-target.ts'
import { startCli } from './started.ts'

it('measure climbs by itself, stops where output stops growing, and says why', async ({ onTestFinished }) => {
  // It answers two at a time.
  let busy = 0
  const queue: (() => void)[] = []
  const answer: FakeBehaviour['answer'] = async (asked, response, request) => {
    if (busy >= 2) await new Promise<void>((resolve) => queue.push(resolve))
    busy++
    await streamed({ firstMs: 150 })(asked, response, request)
    busy--
    queue.shift()?.()
  }
  const target = await startFakeTarget({ answer })
  const folder = mkdtempSync(join(tmpdir(), 'twospeed-'))
  onTestFinished(async () => {
    await target.close()
    rmSync(folder, { recursive: true })
  })
  const args = ['measure', target.url, '--requests', '24', '--output-tokens', '5', '--json']
  const { stderr, stdout } = await startCli(args, folder).ended
  const loads = (JSON.parse(stdout) as Run).points.map(({ load }) => load.value)
  // A busy machine may let one load more look a little better than it is.
  expect([
    [1, 2, 4],
    [1, 2, 4, 8],
  ]).toContainEqual(loads)
  expect(stderr).toMatch(/[48] users got -?[\d.]+ % more output than [24]/)
})
