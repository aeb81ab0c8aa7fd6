import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TwospeedError } from '../../src/core/index.ts'
import type { Engine } from '../../src/serve/engine.ts'
import {
  createLlamaEngine,
  type RunningServer,
  randomModelFile,
  startServer,
  type TruthRecord,
} from '../../src/serve/index.ts'
import { WORDS } from '../../src/serve/words.ts'
import { post, stream, until } from './client.ts'
import { TINY } from './tiny.ts'

// On this platform the engine must load: a test that skips itself here would prove nothing anywhere.
const mustLoad = process.platform === 'linux' && process.arch === 'x64'

const folder = mkdtempSync(join(tmpdir(), 'twospeed-llama-'))
const gguf = randomModelFile(TINY, folder)
const engine: Engine | TwospeedError = await createLlamaEngine({ gguf, model: 'tiny', threads: 1 }).catch((error) => {
  if (mustLoad || !(error instanceof TwospeedError)) throw error
  return error
})
const why = engine instanceof TwospeedError ? `: skipped, ${engine.message}` : ''

describe.skipIf(engine instanceof TwospeedError)(`llama.cpp${why}`, () => {
  if (engine instanceof TwospeedError) return
  const truthFile = join(folder, 'truth.jsonl')
  let server: RunningServer
  let url: string
  beforeAll(async () => {
    server = await startServer({ engine, truth: truthFile })
    url = server.url
  })
  afterAll(() => server.close())

  const idle = (): boolean => engine.status().running === 0 && engine.status().waiting === 0
  const truths = (): TruthRecord[] =>
    readFileSync(truthFile, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))

  const complete = async (
    prompt: unknown,
    more: object = {},
  ): Promise<{ text: string; usage: Record<string, number>; reason: string }> => {
    const response = await post(url, '/completions', { prompt, max_tokens: 8, ...more })
    const body = (await response.json()) as {
      choices: { text: string; finish_reason: string }[]
      usage: Record<string, number>
    }
    return { text: body.choices[0]?.text ?? '', usage: body.usage, reason: body.choices[0]?.finish_reason ?? '' }
  }

  test('a word is a token, and what it says is words', async () => {
    const { text, usage, reason } = await complete('Water over the mountain', { max_tokens: 20 })
    // Four words, and the mark of the beginning.
    expect(usage).toEqual({ prompt_tokens: 5, completion_tokens: 20, total_tokens: 25 })
    expect(reason).toBe('length')
    const words = text.trim().split(' ')
    expect(words).toHaveLength(20)
    for (const word of words) expect(WORDS).toContain(word)
  })

  test('what is no word of its own is spelt in bytes', async () => {
    expect((await complete('the ü', { max_tokens: 1 })).usage.prompt_tokens).toBe(1 + 1 + 3)
  })

  test('streams a chunk a token, and the chat template counts', async () => {
    const messages = [
      { role: 'system', content: 'you are good' },
      { role: 'user', content: 'tell the story' },
    ]
    const body = { messages, max_tokens: 6, stream_options: { include_usage: true } }
    const { events, done } = await stream(url, '/chat/completions', body)
    expect(done).toBe(true)
    const said = (events as { choices: { delta?: { content?: string } }[] }[]).flatMap(
      ({ choices }) => choices[0]?.delta?.content || [],
    )
    expect(said).toHaveLength(6)
    // Begin, three marks of roles, two ends, six words.
    expect(events.at(-1)).toMatchObject({ usage: { prompt_tokens: 12, completion_tokens: 6 } })
  })

  test('is deterministic, and follows its seed where it draws', async () => {
    const greedy = [await complete('the story'), await complete('the story')]
    expect(greedy[0]?.text).toBe(greedy[1]?.text)
    const draw = (seed: number) => complete('the story', { temperature: 1.5, seed })
    expect((await draw(1)).text).toBe((await draw(1)).text)
    expect((await draw(1)).text).not.toBe((await draw(2)).text)
  })

  test('neighbours in the batch do not leak into an answer', async () => {
    const prompts = Array.from({ length: 8 }, (_, index) => `${WORDS[index * 100]} and ${WORDS[index * 100 + 50]}`)
    const alone: string[] = []
    for (const prompt of prompts) alone.push((await complete(prompt, { max_tokens: 4 })).text)
    expect(new Set(alone).size).toBe(8)
    const together = await Promise.all(prompts.map((prompt) => complete(prompt, { max_tokens: 4 })))
    expect(together.map(({ text }) => text)).toEqual(alone)
  })

  test('a prompt longer than a step is read in chunks, to the same effect as in one', async () => {
    const prompt = Array.from({ length: 500 }, (_, index) => WORDS[(index * 7) % WORDS.length]).join(' ')
    const whole = await createLlamaEngine({ gguf, threads: 1, limits: { maxBatchedTokens: 1024 } })
    const other = await startServer({ engine: whole })
    const ask = async (base: string): Promise<unknown> =>
      ((await (await post(base, '/completions', { prompt, max_tokens: 4 })).json()) as { choices: unknown }).choices
    const steps = engine.status().steps
    expect(await ask(url)).toEqual(await ask(other.url))
    expect(engine.status().steps - steps).toBe(4 + 3)
    expect(whole.status().steps).toBe(4)
    await other.close()
  })

  describe('batches continuously', () => {
    test.each([1, 2, 4, 8, 16])('at %i: each step decodes all that are active, within 2 %%', async (streams) => {
      const perStream = 5
      await Promise.all(
        Array.from({ length: streams }, async (_, lane) => {
          for (let turn = 0; turn < perStream; turn++) {
            const headers = { 'x-request-id': `${streams}-${lane}-${turn}` }
            // Lengths differ, so that sequences come and go at all times.
            const max_tokens = 100 + ((lane * 37 + turn * 13) % 60)
            await stream(url, '/completions', { prompt: `the ${WORDS[lane * 50 + turn]}`, max_tokens }, { headers })
          }
        }),
      )
      const records = await allOf(streams, streams * perStream)
      const steps = stepsOf(records)
      // While every lane has a request, from when the last has come to when the first has no more.
      const spans = records.map(({ requestId }) => ({
        requestId,
        first: steps.findIndex((step) => step.includes(requestId)),
        last: steps.findLastIndex((step) => step.includes(requestId)),
      }))
      const from = Math.max(...spans.filter(({ requestId }) => requestId.endsWith('-0')).map(({ first }) => first))
      const to = Math.min(
        ...spans.filter(({ requestId }) => requestId.endsWith(`-${perStream - 1}`)).map(({ last }) => last),
      )
      const inside = steps.slice(from, to)
      const meanBatch = inside.reduce((sum, step) => sum + step.length, 0) / inside.length
      const active = (index: number): number =>
        spans.filter(({ first, last }) => first <= index && index <= last).length
      const meanActive = inside.reduce((sum, _, index) => sum + active(from + index), 0) / inside.length
      expect(inside.length).toBeGreaterThan(100)
      expect(meanBatch / meanActive).toBeGreaterThan(0.98)
      expect(meanBatch / meanActive).toBeLessThan(1.02)
      expect(meanActive).toBeGreaterThan(streams * 0.9)
      expect(Math.max(...inside.map((step) => step.length))).toBe(streams)
    })

    /** The steps as the log has them: tokens in order of time, of which each says how many it came with. */
    const stepsOf = (records: readonly TruthRecord[]): string[][] => {
      const tokens = records
        .flatMap(({ requestId, tokenNs, batch }) =>
          tokenNs.map((time, index) => ({ requestId, time, batch: batch[index] ?? 0 })),
        )
        .sort((one, other) => one.time - other.time)
      const steps: string[][] = []
      for (let at = 0; at < tokens.length; ) {
        const step = tokens.slice(at, at + (tokens[at]?.batch ?? 1))
        expect(new Set(step.map(({ batch }) => batch)).size).toBe(1)
        expect(new Set(step.map(({ requestId }) => requestId)).size).toBe(step.length)
        steps.push(step.map(({ requestId }) => requestId))
        at += step.length
      }
      return steps
    }

    const allOf = async (streams: number, count: number): Promise<TruthRecord[]> => {
      const mine = (): TruthRecord[] => truths().filter(({ requestId }) => requestId.startsWith(`${streams}-`))
      await until(() => mine().length === count)
      return mine()
    }
  })

  test('a client that goes away frees its slot, and the others go on', async () => {
    const abort = new AbortController()
    const long = { prompt: 'the', max_tokens: 2000, stream: true }
    const left = await post(url, '/completions', long, { signal: abort.signal })
    const stays = complete('the story', { max_tokens: 50 })
    await left.body?.getReader().read()
    abort.abort()
    await until(() => engine.status().running <= 1)
    expect((await stays).usage.completion_tokens).toBe(50)
    await until(idle)
    expect((await complete('the story', { max_tokens: 50 })).text).toBe((await stays).text)
  })

  test('more requests than slots wait their turn', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => complete(`the ${WORDS[index]}`)))
    expect(answers.map(({ usage }) => usage.completion_tokens)).toEqual(Array.from({ length: 40 }, () => 8))
    expect(idle()).toBe(true)
  })

  test('refuses what does not fit and tokens that it has not', async () => {
    const long = await post(url, '/completions', { prompt: 'the', max_tokens: 2047 })
    expect([long.status, await long.json()]).toMatchObject([400, { error: { code: 'context_length_exceeded' } }])
    const token = await post(url, '/completions', { prompt: [1, 99_999], max_tokens: 1 })
    expect([token.status, await token.json()]).toMatchObject([400, { error: { param: 'prompt' } }])
    expect((await complete('the', { max_tokens: 2046 })).usage.total_tokens).toBe(2048)
  })

  test('an answer ends where the model ends it, unless told otherwise', async () => {
    // The random model never ends by itself, so its end is put into its mouth: a model of the same weights whose end is a word it says.
    const { text } = await complete('the story', { max_tokens: 30 })
    const words = text.trim().split(' ')
    const third = words[2] ?? ''
    const at = words.indexOf(third)
    const ending = join(folder, 'ending.gguf')
    writeFileSync(ending, withEnd(readFileSync(gguf), third))
    const other = await createLlamaEngine({ gguf: ending, threads: 1 })
    const running = await startServer({ engine: other })
    const ask = async (more: object): Promise<unknown> => {
      const response = await post(running.url, '/completions', { prompt: 'the story', max_tokens: 30, ...more })
      const { choices, usage } = (await response.json()) as {
        choices: { text: string; finish_reason: string }[]
        usage: Record<string, number>
      }
      return [usage.completion_tokens, choices[0]?.finish_reason, choices[0]?.text.split(' ').includes(third)]
    }
    expect(await ask({})).toEqual([at, 'stop', false])
    expect(await ask({ ignore_eos: true })).toEqual([30, 'length', false])
    const [tokens, , said] = (await ask({ min_tokens: at + 3 })) as [number, string, boolean]
    expect(tokens).toBeGreaterThanOrEqual(at + 3)
    expect(said).toBe(false)
    await running.close()
  })

  test('a file that is no model, is cut short, or is not there', async () => {
    const [text, cut] = [join(folder, 'text.gguf'), join(folder, 'cut.gguf')]
    writeFileSync(text, 'GGUFnot really')
    writeFileSync(cut, readFileSync(gguf))
    truncateSync(cut, 500_000)
    const load = (path: string): Promise<unknown> => createLlamaEngine({ gguf: path })
    await expect(load(join(folder, 'missing.gguf'))).rejects.toMatchObject({ code: 'FILE_NOT_READABLE' })
    await expect(load(text)).rejects.toMatchObject({ code: 'MODEL_NOT_LOADABLE' })
    await expect(load(cut)).rejects.toMatchObject({
      code: 'MODEL_NOT_LOADABLE',
      message: expect.stringMatching(/cut\.gguf: .*incomplete/),
    })
  })
})

afterAll(() => rmSync(folder, { recursive: true }))

/** Another token as the end of an answer: its number stands behind the name of the key and the type of its value. */
function withEnd(file: Buffer, word: string): Buffer {
  const copy = Buffer.from(file)
  const key = 'tokenizer.ggml.eos_token_id'
  copy.writeUInt32LE(5 + 256 + WORDS.indexOf(word), copy.indexOf(key) + key.length + 4)
  return copy
}
