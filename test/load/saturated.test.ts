import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Generator } from '../../src/core/index.ts'
import { measure } from '../../src/load/index.ts'
import { type FakeTarget, startFakeTarget } from './fake-target.ts'

/** What the generator says of itself in this test, and the calls that asked it. */
const health = vi.hoisted(() => ({ says: {} as Generator, calls: [] as string[] }))
vi.mock('../../src/load/point/health.ts', () => ({
  createHealth: () => ({
    begin: () => health.calls.push('begin'),
    end: () => {
      health.calls.push('end')
      return health.says
    },
  }),
}))

let target: FakeTarget
let folder = ''
beforeEach(async () => {
  target = await startFakeTarget()
  folder = mkdtempSync(join(tmpdir(), 'twospeed-'))
  health.calls.length = 0
})
afterEach(async () => {
  await target.close()
  rmSync(folder, { recursive: true })
})

const run = async (concurrency?: readonly number[]) => {
  const notes: string[] = []
  const made = await measure({
    url: target.url,
    ...(concurrency !== undefined && { concurrency }),
    inputTokens: 20,
    outputTokens: 4,
    requests: 40,
    out: join(folder, 'run'),
    onProgress: (progress) => {
      if (progress.kind === 'note') notes.push(progress.text)
    },
  })
  return { ...made, notes: notes.join('\n') }
}

it('a client at its limit marks the point and ends the climb', async () => {
  health.says = { saturated: true, why: ['one core is not enough'], cpu: 1 }
  const { points, notes } = await run()
  expect(points).toHaveLength(1)
  expect(points[0]).toMatchObject({ window: { steady: false }, generator: { why: ['one core is not enough'] } })
  expect(points[0]!.window.reasons).toContain('generatorSaturated')
  expect(notes).toContain('this client is at its limit')
})

it('loads that were asked for are measured all the same', async () => {
  health.says = { saturated: true }
  expect((await run([1, 2])).points.map(({ window }) => window.reasons.includes('generatorSaturated'))).toEqual([
    true,
    true,
  ])
})

it('a client with room marks nothing, and is watched over the window alone', async () => {
  health.says = { saturated: false, cpu: 0.1 }
  const { points } = await run([1])
  expect(points[0]!.window.reasons).not.toContain('generatorSaturated')
  expect(points[0]!.generator).toMatchObject({ cpu: 0.1, saturated: false })
  // Once from the start, for a point whose window never opens; then from its opening.
  expect(health.calls).toEqual(['begin', 'begin', 'end'])
})
