import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { runCli } from './run-cli.ts'
import { startServe } from './serve-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'twospeed-serve-cli-'))
afterAll(() => rmSync(folder, { recursive: true }))

const ask = async (url: string, body: object): Promise<unknown> =>
  (await fetch(`${url}/completions`, { method: 'POST', body: JSON.stringify(body) })).json()

describe('serve', () => {
  test('says where it listens, answers there, and ends with a signal', async () => {
    const { url, child, stdout, ended } = await startServe(['--model', 'toy', '--law', 'a=1ms,b=0.1ms'])
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/)
    expect(await ask(url, { prompt: 'x', max_tokens: 2 })).toMatchObject({
      model: 'toy',
      usage: { completion_tokens: 2 },
    })
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(stdout()).toBe(`listening ${url}\n`)
  })

  test('Ctrl-C ends it as a command that was stopped, though a stream is open, and the truth is kept', async () => {
    const truth = join(folder, 'truth.jsonl')
    const { url, child, ended } = await startServe(['--law', 'a=1ms,b=0ms', '--truth', truth])
    const body = JSON.stringify({ prompt: 'x', stream: true, max_tokens: 60_000, ignore_eos: true })
    const open = await fetch(`${url}/completions`, { method: 'POST', body, headers: { 'x-request-id': 'open' } })
    await open.body?.getReader().read()
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(JSON.parse(readFileSync(truth, 'utf8'))).toMatchObject({ requestId: 'open', finish: 'cancelled' })
  })

  test('tells its parent where it is, and leaves with it', async () => {
    const { url, child, ended } = await startServe([], true)
    child.disconnect()
    expect(await ended).toBe(0)
    expect(url).toContain('127.0.0.1')
  })

  test('takes the law of a fit, and its own length of answers', async () => {
    const fit = join(folder, 'fit.json')
    writeFileSync(fit, JSON.stringify({ fit: { stepMs: { base: 1, perSequence: 0.1 } } }))
    const { url, child, ended } = await startServe(['--law', fit, '--output-tokens', '3'])
    expect(await ask(url, { prompt: 'x' })).toMatchObject({
      usage: { completion_tokens: 3 },
      choices: [{ finish_reason: 'stop' }],
    })
    child.kill()
    await ended
  })
})

describe('wrong use', () => {
  test.each([
    [['--engine', 'gpu'], 'INVALID_VALUE', '--engine'],
    [['--law', 'a=5'], 'INVALID_VALUE', 'law'],
    [['--law', 'no-such.json'], 'FILE_NOT_READABLE', 'no-such.json'],
    [['--port', '70000'], 'INVALID_VALUE', '--port'],
    [['--port', '80', '--port', '81'], 'DUPLICATE_FLAG', '--port'],
    [['--max-num-seqs', '0'], 'INVALID_VALUE', '--max-num-seqs'],
    [['--gguf', 'x.gguf'], 'CONFLICTING_FLAGS', '--gguf'],
    [['--engine', 'llama', '--law', 'a=1ms,b=1ms'], 'CONFLICTING_FLAGS', '--law'],
    [['--engine', 'llama', '--output-tokens', '5'], 'CONFLICTING_FLAGS', '--output-tokens'],
    [['--engine', 'llama', '--gguf', 'no-such.gguf'], 'FILE_NOT_READABLE', 'no-such.gguf'],
    [['--truth', 'no/such/folder/truth'], 'FILE_NOT_WRITABLE', 'no/such/folder'],
    [['--bogus'], 'UNKNOWN_FLAG', '--bogus'],
  ])('%j is %s', (args, code, names) => {
    const { exit, stdout, stderr } = runCli(['serve', ...args], folder)
    expect([exit, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(new RegExp(`^${code}: `))
    expect(stderr).toContain(names)
    expect(stderr).not.toContain('    at ')
  })
})

test('without node-llama-cpp the real engine says what to install', () => {
  const bare = join(folder, 'bare')
  const dist = fileURLToPath(new URL('../../dist', import.meta.url))
  for (const part of ['core', 'model', 'wire', 'serve']) cpSync(join(dist, part), join(bare, part), { recursive: true })
  writeFileSync(join(bare, 'package.json'), '{"type":"module"}')
  writeFileSync(
    join(bare, 'try.js'),
    "import { createLlamaEngine } from './serve/index.js'\nawait createLlamaEngine().catch((e) => console.log(e.code, e.hint))\n",
  )
  const env = { ...process.env, TWOSPEED_CACHE: join(folder, 'cache') }
  const { stdout } = spawnSync(process.execPath, ['try.js'], { cwd: bare, encoding: 'utf8', env })
  expect(stdout).toMatch(/^LLAMA_NOT_INSTALLED .*npm install node-llama-cpp@3\.21\.1/)
})
