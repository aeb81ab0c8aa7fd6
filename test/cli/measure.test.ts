import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RequestRecord, Run } from '../../src/core/index.ts'
import { summarizeRun } from '../../src/model/index.ts'
import { readRecords, readRunHeader } from '../../src/store/index.ts'
import { type FakeBehaviour, type FakeTarget, refuse, startFakeTarget, streamed, token } from '../load/fake-target.ts'
import type { Ended } from './run-cli.ts'
import { type Started, startCli } from './started.ts'

let folder = ''
const targets: FakeTarget[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'twospeed-'))
})
afterEach(async () => {
  for (const target of targets.splice(0)) await target.close()
  rmSync(folder, { recursive: true, force: true })
})

async function serving(behaviour: FakeBehaviour = {}): Promise<FakeTarget> {
  const target = await startFakeTarget(behaviour)
  targets.push(target)
  return target
}

const start = (args: readonly string[], env?: Readonly<Record<string, string>>): Started =>
  startCli(['measure', ...args], folder, env)
const measure = (args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended> =>
  start(args, env).ended

const quick = [
  '--concurrency',
  '1,2',
  '--requests',
  '30',
  '--input-tokens',
  '40',
  '--output-tokens',
  '8',
  '--out',
  'run',
]

/** Everything a run left behind, as text. */
const left = (dir: string): string =>
  readdirSync(dir)
    .map((name) => {
      const bytes = readFileSync(join(dir, name))
      return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
    })
    .join('\n')

async function recordsOf(dir: string): Promise<readonly RequestRecord[]> {
  const all: RequestRecord[] = []
  for await (const record of readRecords(dir)) all.push(record)
  return all
}

const isFailure = ({ exit, stdout, stderr }: Ended, code: string, expected: number): void => {
  expect(stderr).toMatch(new RegExp(`^${code}: .+\\n {2}.+`, 'm'))
  expect(stderr).not.toMatch(/\n\s+at |Error:|undefined|\[object/)
  expect(stdout).toBe('')
  expect(exit).toBe(expected)
}

describe('a run', () => {
  it('leaves a folder from which every figure can be computed anew', async () => {
    const target = await serving({ answer: streamed({ firstMs: 5, gapMs: 2, overhead: 4 }) })
    const { exit, stdout } = await measure([target.url, ...quick, '--gpus', '2', '--json'])
    expect(exit).toBe(0)
    const run = JSON.parse(stdout) as Run
    const dir = join(folder, 'run')
    expect(JSON.parse(readFileSync(join(dir, 'run.json'), 'utf8'))).toEqual(run)
    const anew = await summarizeRun(await readRunHeader(dir), readRecords(dir))
    expect(JSON.parse(JSON.stringify(anew))).toEqual(run)
    expect(run).toMatchObject({
      schema: 'twospeed/run@1',
      target: { url: `${target.url}/v1/chat/completions`, model: 'tiny', engine: 'vllm' },
      hardware: { gpus: 2, replicas: 1 },
      workload: {
        inputTokens: 40,
        outputTokens: 8,
        counted: { inputTokens: 40, outputTokens: 8, tokenSource: 'usage' },
        requests: 30,
        promptWords: 36,
        preflightRequests: 2,
      },
    })
    expect(run.points.map(({ load }) => load.value)).toEqual([1, 2])
    expect(run.points.every(({ generator }) => (generator.cpu ?? 0) > 0)).toBe(true)
    expect(target.asked).toHaveLength(2 + 2 * 30)
    const records = await recordsOf(dir)
    expect(records.map(({ point }) => point).sort()).toEqual([...Array(30).fill(0), ...Array(30).fill(1)])
    expect(records.every(({ askedInputTokens, inputTokens }) => askedInputTokens === 40 && inputTokens === 40)).toBe(
      true,
    )
    // The server can join its own log by the ids.
    const ids = new Set(target.asked.map(({ headers }) => headers['x-request-id']))
    expect(records.every(({ id }) => ids.has(id))).toBe(true)
  })

  it('says where it is, and what it sent', async () => {
    const target = await serving()
    const { exit, stdout, stderr } = await measure([target.url, ...quick])
    expect(exit).toBe(0)
    expect(stdout).toContain('run folder: run')
    expect(stderr).toMatch(/body: \{"model":"tiny","messages":.*"max_tokens":8,"ignore_eos":true,"stream":true/)
    expect(stderr).not.toContain('\u001b')
  })

  it('chooses a folder by time and model where none is named', async () => {
    const target = await serving({ models: ['org/my model'] })
    await measure([target.url, '--concurrency', '1', '--requests', '2'])
    expect(readdirSync(join(folder, 'runs'))).toEqual([
      expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d-]{8}-org-my-model$/),
    ])
  })

  it('sends the same prompts with the same seed, others with another', async () => {
    const target = await serving()
    const args = [target.url, '--concurrency', '1', '--requests', '3', '--input-tokens', '30']
    const prompts = async (seed: string): Promise<readonly unknown[]> => {
      const before = target.asked.length
      await measure([...args, '--seed', seed, '--out', `run-${seed}-${before}`])
      return target.asked.slice(before).map(({ body }) => body.messages)
    }
    const first = await prompts('5')
    expect(await prompts('5')).toEqual(first)
    expect(await prompts('6')).not.toEqual(first)
    expect(new Set(first.map((messages) => JSON.stringify(messages))).size).toBe(first.length)
  })

  it('sends nothing unmeasured with --no-preflight', async () => {
    const target = await serving()
    const { exit } = await measure([
      target.url,
      '--no-preflight',
      '--concurrency',
      '1',
      '--requests',
      '1',
      '--out',
      'run',
    ])
    expect(exit).toBe(0)
    expect(target.asked).toHaveLength(1)
    expect(target.asked[0]!.body).not.toHaveProperty('ignore_eos')
    expect(await recordsOf(join(folder, 'run'))).toMatchObject([{ outcome: 'ok', outputTokens: 128, point: 0 }])
  })

  it('takes a configuration, over which flags win', async () => {
    const target = await serving()
    writeFileSync(
      join(folder, 'run.yaml'),
      `url: ${target.url}\nconcurrency: 1\nduration: 1h\ninputTokens: 50\noutputTokens: 9\nout: run\n`,
    )
    const { stdout } = await measure(['--config', 'run.yaml', '--requests', '3', '--output-tokens', '4', '--json'])
    const run = JSON.parse(stdout) as Run
    expect(run.workload).toMatchObject({ inputTokens: 50, outputTokens: 4, requests: 3 })
    expect(run.workload).not.toHaveProperty('durationS')
  })

  it('exits with 1 under --strict when a point is doubtful', async () => {
    const target = await serving()
    const args = [target.url, '--concurrency', '1', '--requests', '3']
    expect((await measure([...args, '--out', 'a'])).exit).toBe(0)
    expect((await measure([...args, '--out', 'b', '--strict'])).exit).toBe(1)
  })
})

describe('secrets', () => {
  const key = 'sk-live-0a1B2c3D4e5F6g7H8i9J'
  const echo: FakeBehaviour['answer'] = (asked, response) =>
    refuse(
      response,
      500,
      `denied ${asked.headers.authorization ?? ''} ${asked.headers['x-team'] ?? ''} at ${asked.path}`,
    )

  it('are in nothing that is printed or stored, even when the server repeats them', async () => {
    let posts = 0
    const answer: FakeBehaviour['answer'] = (asked, response, request) =>
      ++posts <= 12 ? streamed()(asked, response, request) : echo(asked, response, request)
    const target = await serving({ answer })
    writeFileSync(join(folder, 'key.txt'), `${key}\n`)
    const url = `${target.url.replace('http://', 'http://ann:hunter22@')}/v1?token=tok-99887766`
    const ended = await measure([
      url,
      '--api-key-file',
      'key.txt',
      '--header',
      'X-Team: blue whale',
      '--header',
      `Authorization: Bearer ${key}`,
      '--concurrency',
      '4',
      '--requests',
      '20',
      '--out',
      'run',
    ])
    const everything = ended.stdout + ended.stderr + left(join(folder, 'run'))
    expect(everything).toContain('denied')
    for (const secret of [
      key,
      'blue whale',
      'hunter22',
      'tok-99887766',
      Buffer.from('ann:hunter22').toString('base64'),
    ]) {
      expect(everything).not.toContain(secret)
    }
    expect(target.asked.at(-1)!.headers).toMatchObject({ authorization: `Bearer ${key}`, 'x-team': 'blue whale' })
    expect(target.asked.at(-1)!.path).toContain('token=tok-99887766')
  })

  it('are not in an error of the preflight either', async () => {
    const target = await serving({ answer: echo })
    const ended = await measure([target.url, '--header', `Authorization: Bearer ${key}`, '--json'])
    expect(ended.exit).toBe(3)
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: 'TARGET_FAILED' } })
    expect(ended.stdout + ended.stderr).not.toContain(key)
  })

  it('come from OPENAI_API_KEY, which is said', async () => {
    const target = await serving()
    const { stderr } = await measure([target.url, '--concurrency', '1', '--requests', '1'], { OPENAI_API_KEY: key })
    expect(stderr).toContain('using the key in OPENAI_API_KEY')
    expect(stderr).not.toContain(key)
    expect(target.asked[0]!.headers.authorization).toBe(`Bearer ${key}`)
  })

  it('are not repeated from a flag that does not exist', async () => {
    const { stderr } = await measure(['localhost:1', `--api-key=${key}`])
    expect(stderr).toMatch(/^UNKNOWN_FLAG/)
    expect(stderr).not.toContain(key)
  })
})

describe('a target that cannot be measured', () => {
  const dies: FakeBehaviour['answer'] = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(token('half'), () => response.destroy())
  }
  it.each<[string, NonNullable<FakeBehaviour['answer']>, string]>([
    ['refuses the key', (_, response) => refuse(response, 401, 'Incorrect API key provided'), 'TARGET_UNAUTHORIZED'],
    ['lacks the model', (_, response) => refuse(response, 404, 'The model `tiny` does not exist'), 'MODEL_NOT_FOUND'],
    ['does not stream', (_, response) => void response.end('{"choices":[]}'), 'NOT_STREAMING'],
    ['never answers', () => {}, 'NO_ANSWER'],
    ['dies mid-stream', dies, 'TARGET_FAILED'],
  ])('%s: exit 3, a code, and no folder', async (_, answer, code) => {
    const target = await serving({ answer })
    isFailure(last(await measure([target.url, '--request-timeout', '300ms', '--out', 'run'])), code, 3)
    expect(readdirSync(folder)).toEqual([])
  })

  it('is not there: exit 3', async () => {
    isFailure(last(await measure(['http://127.0.0.1:1', '--out', 'run'])), 'TARGET_UNREACHABLE', 3)
    expect(readdirSync(folder)).toEqual([])
  })

  it('fails every measured request: exit 3, and the requests are kept', async () => {
    const target = await serving({ answer: dies })
    const args = [target.url, '--no-preflight', '--concurrency', '2', '--requests', '4']
    const plain = await measure([...args, '--out', 'run'])
    expect(plain.exit).toBe(3)
    expect(plain.stderr).toMatch(/^TARGET_FAILED: /m)
    expect(await recordsOf(join(folder, 'run'))).toHaveLength(4)
    const json = await measure([...args, '--out', 'run2', '--json'])
    expect(json.exit).toBe(3)
    expect(JSON.parse(json.stdout)).toMatchObject({ schema: 'twospeed/run@1', error: { code: 'TARGET_FAILED' } })
  })

  it('begins to fail in the run: the point stops, no higher load is tried, and what was measured is kept', async () => {
    let posts = 0
    const answer: FakeBehaviour['answer'] = (asked, response, request) =>
      ++posts <= 20 ? streamed()(asked, response, request) : dies(asked, response, request)
    const target = await serving({ answer })
    const { exit, stdout, stderr } = await measure([target.url, '--concurrency', '8,16', '--requests', '200', '--json'])
    const run = JSON.parse(stdout) as Run
    expect(exit).toBe(0)
    expect(run.points).toHaveLength(1)
    expect(run.points[0]!.window.reasons).toContain('errorShare')
    expect(stderr).toContain('no higher load is tried')
    expect(target.asked.length).toBeLessThan(45)
  })
})

describe('Ctrl-C', () => {
  const slow: FakeBehaviour = { answer: streamed({ firstMs: 20, gapMs: 10 }) }
  const args = ['--concurrency', '4', '--output-tokens', '10', '--input-tokens', '30', '--out', 'run']

  it.each<NodeJS.Signals>(['SIGINT', 'SIGTERM'])(
    '%s ends the run cleanly and keeps what was measured',
    async (name) => {
      const target = await serving(slow)
      const started = start([target.url, ...args, '--json'])
      await started.says('body:')
      await new Promise((resolve) => setTimeout(resolve, 2500))
      started.signal(name)
      const { exit, stdout } = await started.ended
      expect(exit).toBe(130)
      const run = JSON.parse(stdout) as Run
      expect(run.points[0]!.window.reasons).toContain('interrupted')
      expect(run.points[0]!.requests.ok).toBeGreaterThan(10)
      const records = await recordsOf(join(folder, 'run'))
      // One may have been on its way to the server when it was cancelled.
      const heard = target.asked.length - Number(run.workload.preflightRequests)
      expect(records.length).toBeGreaterThanOrEqual(heard)
      expect(records.length).toBeLessThanOrEqual(heard + 4)
      expect(records.filter(({ outcome }) => outcome === 'cancelled').length).toBeGreaterThan(0)
    },
  )

  it('before anything was measured leaves nothing', async () => {
    const target = await serving({ answer: () => {} })
    const started = start([target.url, ...args])
    await started.says('target:')
    await new Promise((resolve) => setTimeout(resolve, 300))
    started.signal('SIGINT')
    const { exit, stderr } = await started.ended
    expect(exit).toBe(130)
    expect(stderr).toContain('Interrupted before anything was measured.')
    expect(stderr).not.toMatch(/\n\s+at /)
    expect(readdirSync(folder)).toEqual([])
  })

  it('twice ends at once', async () => {
    const target = await serving(slow)
    const started = start([target.url, ...args])
    await started.says('body:')
    started.signal('SIGINT')
    started.signal('SIGINT')
    const at = performance.now()
    expect((await started.ended).exit).toBe(130)
    expect(performance.now() - at).toBeLessThan(3000)
  })

  it('is like a time limit, but for the exit code', async () => {
    const target = await serving(slow)
    const { exit, stdout } = await measure([target.url, ...args, '--time-limit', '3s', '--json'])
    expect(exit).toBe(0)
    expect((JSON.parse(stdout) as Run).points[0]!.window.reasons).toContain('timeLimit')
  })
})

describe('wrong use', () => {
  it.each([
    ['no target', [], 'MISSING_VALUE'],
    ['a target that is none', ['ftp://localhost'], 'INVALID_VALUE'],
    ['two targets', ['localhost:1', 'localhost:2'], 'UNKNOWN_COMMAND'],
    ['no user', ['localhost:1', '--concurrency', '0'], 'INVALID_VALUE'],
    ['NaN users', ['localhost:1', '--concurrency', 'NaN'], 'INVALID_VALUE'],
    ['half a user', ['localhost:1', '--concurrency', '1,2.5'], 'INVALID_VALUE'],
    ['an empty list', ['localhost:1', '--concurrency', '1,,2'], 'INVALID_VALUE'],
    ['NaN tokens', ['localhost:1', '--input-tokens', 'NaN'], 'INVALID_VALUE'],
    ['negative tokens', ['localhost:1', '--output-tokens', '-5'], 'INVALID_VALUE'],
    ['infinite GPUs', ['localhost:1', '--gpus', 'Infinity'], 'INVALID_VALUE'],
    ['a duration without a unit', ['localhost:1', '--duration', '30'], 'INVALID_VALUE'],
    ['a NaN duration', ['localhost:1', '--duration', 'NaNs'], 'INVALID_VALUE'],
    ['a value left out', ['localhost:1', '--duration'], 'MISSING_VALUE'],
    ['a flag twice', ['localhost:1', '--seed', '1', '--seed', '1'], 'DUPLICATE_FLAG'],
    ['a header twice', ['localhost:1', '--header', 'a: 1', '--header', 'A: 2'], 'DUPLICATE_FLAG'],
    ['a header without a colon', ['localhost:1', '--header', 'abc'], 'INVALID_VALUE'],
    ['a flag that does not exist', ['localhost:1', '--rates', '5/s'], 'UNKNOWN_FLAG'],
    ['a beginning of a flag', ['localhost:1', '--conc', '5'], 'UNKNOWN_FLAG'],
    ['two ways to end', ['localhost:1', '--duration', '5s', '--requests', '5'], 'CONFLICTING_FLAGS'],
    ['fewer requests than users', ['localhost:1', '--concurrency', '8', '--requests', '4'], 'CONFLICTING_FLAGS'],
    ['a certificate without its key', ['localhost:1', '--cert', 'cert.pem'], 'CONFLICTING_FLAGS'],
    ['trust in one and in all', ['localhost:1', '--ca', 'cert.pem', '--insecure'], 'CONFLICTING_FLAGS'],
    ['waiting without asking', ['localhost:1', '--wait', '5s', '--no-preflight'], 'CONFLICTING_FLAGS'],
    ['an endpoint against its path', ['localhost:1/v1/completions', '--endpoint', 'chat'], 'CONFLICTING_FLAGS'],
    ['an unknown endpoint', ['localhost:1', '--endpoint', 'embeddings'], 'INVALID_VALUE'],
    ['a file that is not there', ['localhost:1', '--api-key-file', 'none.txt'], 'FILE_NOT_READABLE'],
    ['a configuration that is not there', ['--config', 'none.yaml'], 'FILE_NOT_READABLE'],
    ['a configuration with an unknown key', ['--config', 'bad.yaml'], 'INVALID_CONFIG'],
    ['a folder that is there', ['localhost:1', '--out', '.'], 'OUT_EXISTS'],
  ])('%s: exit 2 and a code', async (_, args, code) => {
    writeFileSync(join(folder, 'cert.pem'), 'x')
    writeFileSync(join(folder, 'bad.yaml'), 'urll: x\n')
    isFailure(await measure(args), code, 2)
  })

  it('is one JSON object with --json', async () => {
    const { exit, stdout, stderr } = await measure(['localhost:1', '--concurrency', '0', '--json'])
    const error = { code: 'INVALID_VALUE', message: expect.any(String), hint: expect.any(String) }
    expect(JSON.parse(stdout)).toEqual({ error })
    expect(stderr).toBe('')
    expect(exit).toBe(2)
  })

  it('sends nothing before it is refused', async () => {
    const target = await serving()
    await measure([target.url, '--out', '.'])
    await measure([target.url, '--concurrency', '8', '--requests', '4'])
    expect([...target.asked, ...target.gets]).toEqual([])
  })
})

/** Without the notes that came before a failure. */
function last(ended: Ended): Ended {
  return { ...ended, stderr: ended.stderr.split('\n').slice(-3).join('\n') }
}
