import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readRecords, readRunHeader } from '../../src/store/index.ts'
import { collect, temporaryFolder } from './temporary.ts'

const program = fileURLToPath(new URL('append-until-killed.mjs', import.meta.url))

function start(
  command: string,
  args: readonly string[],
): { readonly child: ChildProcess; readonly said: () => string } {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, said: () => text }
}

test('a run that is killed can be read, and has lost at most what ended in its last second', async () => {
  const dir = join(temporaryFolder(), 'run')
  const { child, said } = start(process.execPath, [program, dir, '3000'])
  await vi.waitFor(() => expect(said()).toBe('appended\n'), { timeout: 20_000 })
  // All were appended and none was asked for: the writer's own clock must bring them to the disk.
  await vi.waitFor(async () => expect(await collect(readRecords(dir))).toHaveLength(3000), {
    timeout: 10_000,
    interval: 100,
  })
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect((await readRunHeader(dir)).points).toEqual([])
  expect((await collect(readRecords(dir))).map(({ id }) => id)).toEqual(
    Array.from({ length: 3000 }, (_, at) => `r${at}`),
  )
})

test('a run that exits while run.json is replaced leaves the one before, and no part of the next', async () => {
  const dir = join(temporaryFolder(), 'run')
  const exiting = fileURLToPath(new URL('exit-while-writing.mjs', import.meta.url))
  const [exit] = await once(start(process.execPath, [exiting, dir]).child, 'exit')
  expect(exit).toBe(130)
  expect(readdirSync(dir).sort()).toEqual(['requests.jsonl.gz', 'run.json'])
  expect((await readRunHeader(dir)).workload).toEqual({})
})

test.skipIf(process.platform === 'win32')('a full disk is told once, and what was written stays readable', async () => {
  const dir = join(temporaryFolder(), 'run')
  // A limit on the size of a file stands in for a full disk: a write gives fewer bytes, then none.
  const { child, said } = start('bash', [
    '-c',
    'ulimit -f 200; exec "$0" "$@"',
    process.execPath,
    program,
    dir,
    '100000',
  ])
  await once(child, 'close')
  expect(
    said()
      .split('\n')
      .filter((line) => line.startsWith('failed')),
  ).toEqual(['failed FILE_NOT_WRITABLE FILE_NOT_WRITABLE'])
  const ids = (await collect(readRecords(dir))).map(({ id }) => id)
  expect(ids.length).toBeGreaterThan(100)
  expect(ids).toEqual(ids.map((_, at) => `r${at}`))
})
