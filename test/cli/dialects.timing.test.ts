import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RequestRecord, Run } from '../../src/core/index.ts'
import { parseLaw } from '../../src/model/index.ts'
import { createSimulatedEngine, startServer } from '../../src/serve/index.ts'
import { readRecords } from '../../src/store/index.ts'
import { startFakeTarget, streamed } from '../load/fake-target.ts'
import type { Ended } from './run-cli.ts'
import { startCli } from './started.ts'

let folder = ''
const open: { close(): Promise<unknown> }[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'twospeed-'))
})
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
  rmSync(folder, { recursive: true, force: true })
})

const run = (args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended> =>
  startCli(args, folder, env).ended

const failureOf = ({ stderr }: Ended): string => /^([A-Z_]+): /m.exec(stderr)?.[1] ?? stderr

async function recordsOf(dir: string): Promise<readonly RequestRecord[]> {
  const all: RequestRecord[] = []
  for await (const record of readRecords(dir)) all.push(record)
  return all
}

describe('measure against the Responses API', () => {
  it('from the path alone, on a server of our own', async () => {
    const server = await startServer({
      engine: createSimulatedEngine({ law: parseLaw('a=1ms,b=0ms'), model: 'toy' }),
    })
    open.push(server)
    const args = [`${server.url}/responses`, '--concurrency', '2', '--requests', '20', '--out', 'run', '--json']
    const { exit, stdout } = await run(['measure', ...args, '--input-tokens', '40', '--output-tokens', '8'])
    expect(exit).toBe(0)
    const { workload, target } = JSON.parse(stdout) as Run
    expect(target.url).toBe(`${server.url}/responses`)
    expect(workload).toMatchObject({ endpoint: 'responses', limitField: 'max_output_tokens', store: false })
    const records = await recordsOf(join(folder, 'run'))
    expect(records).toHaveLength(20)
    for (const record of records) {
      expect(record).toMatchObject({ outcome: 'ok', outputTokens: 8, inputTokens: 40, tokenSource: 'usage' })
      expect(record.gapsUs).toHaveLength(7)
      expect(record.finishReason).toBe('max_output_tokens')
    }
  })
})

describe('measure with a tokenizer', () => {
  const tokenizer = fileURLToPath(new URL('../fixtures/tokenizer/tokenizer.json', import.meta.url))

  it('counts what the server does not, and says so in every record', async () => {
    const target = await startFakeTarget({ answer: streamed({ usage: false, word: ' story', gapMs: 1 }) })
    open.push(target)
    const args = [
      target.url,
      '--concurrency',
      '2',
      '--requests',
      '10',
      '--output-tokens',
      '4',
      '--out',
      'run',
      '--json',
    ]
    const { exit, stdout } = await run(['measure', ...args, '--tokenizer', tokenizer])
    expect(exit).toBe(0)
    const { points, workload } = JSON.parse(stdout) as Run
    expect(workload).toMatchObject({ tokenizer, counted: { tokenSource: 'tokenizer' } })
    expect(points[0]?.tokens.source).toBe('tokenizer')
    const records = await recordsOf(join(folder, 'run'))
    expect(records.map(({ outputTokens, tokenSource }) => [outputTokens, tokenSource])).toEqual(
      Array(10).fill([8, 'tokenizer']),
    )
    // Four events, whatever the tokens.
    expect(records.every(({ gapsUs }) => gapsUs.length === 3)).toBe(true)
  })

  it.each([
    ['that is not there', 'none.json', 'FILE_NOT_READABLE'],
    ['that is none', 'note.json', 'INVALID_VALUE'],
  ])('%s: exit 2 and a code', async (_, name, code) => {
    writeFileSync(join(folder, 'note.json'), '{}')
    const ended = await run(['measure', 'http://127.0.0.1:1', '--tokenizer', name])
    expect([failureOf(ended), ended.exit]).toEqual([code, 2])
  })
})

describe('what means nothing', () => {
  it.each([
    ['an authority for http', ['http://localhost:1', '--ca', 'cert.pem'], 'CONFLICTING_FLAGS'],
    ['trust in all for http', ['localhost:1', '--insecure'], 'CONFLICTING_FLAGS'],
    ['a certificate for http', ['http://a.example', '--cert', 'cert.pem', '--key', 'cert.pem'], 'CONFLICTING_FLAGS'],
    ['another protocol', ['localhost:1', '--header', 'Upgrade: websocket'], 'INVALID_VALUE'],
    ['a wait before the body', ['localhost:1', '--header', 'Expect: 100-continue'], 'INVALID_VALUE'],
  ])('%s is refused', async (_, args, code) => {
    writeFileSync(join(folder, 'cert.pem'), 'x')
    const ended = await run(['measure', ...args])
    expect([failureOf(ended), ended.exit]).toEqual([code, 2])
  })

  it('but trust in all goes with https', async () => {
    const ended = await run(['measure', 'https://127.0.0.1:1', '--insecure'])
    expect([failureOf(ended), ended.exit]).toEqual(['TARGET_UNREACHABLE', 3])
  })
})

describe('something that answers, but not in HTTP', () => {
  async function speaking(bytes: string): Promise<string> {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.on('data', () => socket.end(bytes))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    open.push({ close: () => new Promise((resolve) => server.close(resolve)) })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', 'NOT_HTTP'],
    ['bytes of TLS', '\u0015\u0003\u0001\u0000\u0002\u0002\u0016', 'NOT_HTTP'],
    ['nothing at all', '', 'TARGET_FAILED'],
  ])('with %s: exit 3 and a code', async (_, bytes, code) => {
    const url = await speaking(bytes)
    for (const args of [[url], [url, '--model', 'm', '--no-preflight', '--concurrency', '1', '--requests', '1']]) {
      const ended = await run(['measure', ...args])
      expect([failureOf(ended), ended.exit], ended.stderr).toEqual([code, 3])
    }
  })
})

describe('help', () => {
  it('on what is no command is an error with a code', async () => {
    for (const args of [['help', 'frob'], ['frob']]) {
      const ended = await run(args)
      expect([failureOf(ended), ended.exit]).toEqual(['UNKNOWN_COMMAND', 2])
      expect(ended.stderr).toContain("'frob'")
      expect(ended.stdout).toBe('')
    }
  })

  it('on a command, or on none, helps', async () => {
    expect(await run(['help', 'measure'])).toMatchObject({ exit: 0, stdout: expect.stringContaining('--endpoint') })
    expect(await run(['help'])).toMatchObject({ exit: 0, stdout: expect.stringContaining('measure') })
  })
})
