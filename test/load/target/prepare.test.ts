import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import type { MeasureOptions } from '../../../src/load/options.ts'
import { openSession } from '../../../src/load/session.ts'
import { prepare } from '../../../src/load/target/prepare.ts'
import { type FakeBehaviour, promptOf, refuse, startFakeTarget, streamed, token } from '../fake-target.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

/** Prepares a run against a server that behaves so; what was noted, found and asked. */
async function prepared(behaviour: FakeBehaviour, options: Partial<MeasureOptions> = {}) {
  const target = await startFakeTarget(behaviour)
  open.push(target)
  const notes: string[] = []
  const all: MeasureOptions = {
    url: target.url,
    onProgress: (progress) => {
      if (progress.kind === 'note') notes.push(progress.text)
    },
    ...options,
  }
  const session = openSession(all)
  open.push(session)
  const result = prepare(session, all)
  return { target, notes, result }
}

const found = async (behaviour: FakeBehaviour, options: Partial<MeasureOptions> = {}) => {
  const { target, notes, result } = await prepared(behaviour, options)
  const { plan, timeInSystemS, countTokens } = await result
  return { target, notes: notes.join('\n'), plan, timeInSystemS, countTokens, counted: plan.found.counted }
}

const failure = async (behaviour: FakeBehaviour, options: Partial<MeasureOptions> = {}) => {
  const { target, result } = await prepared(behaviour, options)
  const error = await result.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return { target, error }
}

describe('a server that takes everything', () => {
  it('is asked twice, and prompts land on the length asked for', async () => {
    const { target, plan, counted, timeInSystemS } = await found({ answer: streamed({ overhead: 23, firstMs: 20 }) })
    expect(target.asked).toHaveLength(2)
    expect(counted).toEqual({ inputTokens: 512, inputSource: 'usage', outputTokens: 128, tokenSource: 'usage' })
    expect(plan.found).toMatchObject({ words: 512 - 23, requests: 2 })
    expect(plan.found.dialect).toMatchObject({ ignoreEos: true, minTokens: false, limitField: 'max_tokens' })
    expect(timeInSystemS).toBeGreaterThan(0.015)
  })

  it('finds words of several tokens in a third', async () => {
    const { target, counted, plan } = await found(
      { answer: streamed({ overhead: 40, perWord: 1.7 }) },
      { inputTokens: 1000 },
    )
    expect(target.asked).toHaveLength(3)
    expect(Math.abs((counted?.inputTokens ?? 0) - 1000)).toBeLessThanOrEqual(20)
    expect(plan.found.words).toBeCloseTo((1000 - 40) / 1.7, -1)
  })

  it('gets prompts that all differ from the first word on, and the model that it serves', async () => {
    const { target, plan } = await found({ models: ['only/one'] })
    const firsts = target.asked.map((asked) => promptOf(asked).split(' ')[0])
    expect(new Set(firsts).size).toBe(firsts.length)
    expect(target.asked.every(({ body }) => body.model === 'only/one')).toBe(true)
    expect(plan).toMatchObject({ model: 'only/one', engine: 'vllm' })
  })

  it('is shown the body it will get, the prompt shortened, and the run keeps it whole', async () => {
    const { notes, plan, target } = await found(
      { answer: streamed({ overhead: 12 }) },
      { inputTokens: 100, outputTokens: 3 },
    )
    expect(notes).toMatch(/body: \{"model":"tiny","messages":\[.*… \(88 words\)"\}\],"max_tokens":3,"ignore_eos":true/)
    const body = JSON.parse(plan.body)
    expect(body.messages[0].content.split(' ')).toHaveLength(88)
    expect({ ...body, messages: [] }).toEqual({ ...target.asked.at(-1)!.body, messages: [] })
  })

  it('keeps it short where the prompt is very long', async () => {
    const { plan } = await found({}, { inputTokens: 40_000, outputTokens: 3 })
    expect(plan.body.length).toBeLessThan(1000)
    expect(plan.body).toMatch(/… \(39993 words\)/)
    expect(JSON.parse(plan.body)).toMatchObject({ max_tokens: 3 })
  })
})

describe('a server that refuses fields', () => {
  it('gets them no more, one request each', async () => {
    const answer: FakeBehaviour['answer'] = async (asked, response, request) => {
      for (const field of ['ignore_eos', 'min_tokens', 'stream_options']) {
        if (field in asked.body) return refuse(response, 400, `Unrecognized request argument supplied: ${field}`)
      }
      await streamed()(asked, response, request)
    }
    const { target, plan, notes } = await found({ answer })
    expect(plan.found.dialect).toMatchObject({ ignoreEos: false, minTokens: false, includeUsage: false })
    expect(target.asked).toHaveLength(5)
    expect(notes).toContain('sends no usage')
  })

  it('is asked with max_completion_tokens where it wants that', async () => {
    const answer: FakeBehaviour['answer'] = async (asked, response, request) => {
      if ('max_tokens' in asked.body) {
        return refuse(
          response,
          400,
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        )
      }
      await streamed()(asked, response, request)
    }
    const { target, plan, counted } = await found({ answer })
    expect(plan.found.dialect.limitField).toBe('max_completion_tokens')
    expect(target.asked).toHaveLength(3)
    expect(counted?.outputTokens).toBe(128)
  })

  it('is tried with a floor where it knows no ignore_eos', async () => {
    const answer: FakeBehaviour['answer'] = async (asked, response, request) => {
      if ('ignore_eos' in asked.body) return refuse(response, 422, 'ignore_eos: extra inputs are not permitted')
      await streamed({ stopsAt: 10, heeds: 'min_tokens' })(asked, response, request)
    }
    const { plan, counted } = await found({ answer })
    expect(plan.found.dialect).toMatchObject({ ignoreEos: false, minTokens: true })
    expect(counted?.outputTokens).toBe(128)
  })
})

describe('a server that stops early', () => {
  it('gets a floor too when ignore_eos does not hold it', async () => {
    const { target, plan, counted } = await found({ answer: streamed({ stopsAt: 10, heeds: 'min_tokens' }) })
    expect(plan.found.dialect).toMatchObject({ ignoreEos: true, minTokens: true })
    expect(counted?.outputTokens).toBe(128)
    expect(target.asked).toHaveLength(3)
  })

  it('is told of, and spared a floor that changes nothing', async () => {
    const { notes, plan, counted } = await found({ answer: streamed({ stopsAt: 10, heeds: 'nothing' }) })
    expect(counted?.outputTokens).toBe(10)
    expect(notes).toContain('answers stop early: 10 of 128 tokens')
    expect(plan.found.dialect.minTokens).toBe(false)
  })
})

describe('a server without usage', () => {
  it('has its events counted, and unknown lengths', async () => {
    const { target, counted, notes, plan } = await found({ answer: streamed({ usage: false }) })
    expect(counted).toEqual({ outputTokens: 128, tokenSource: 'events' })
    expect(plan.found.words).toBe(512)
    expect(target.asked).toHaveLength(2)
    expect(notes).toMatch(/length in tokens is unknown/)
    expect(notes).toMatch(/each event that bears text counts as one token/)
  })
})

describe('a tokenizer', () => {
  const tokenizer = fileURLToPath(new URL('../../fixtures/tokenizer', import.meta.url))

  it('counts answers and prompts where the server counts neither', async () => {
    const answer = streamed({ usage: false, word: ' story' })
    const { counted, notes, plan, countTokens } = await found({ answer }, { tokenizer, inputTokens: 2000 })
    // The answer's 128 events are two tokens each.
    expect(counted).toMatchObject({ outputTokens: 256, tokenSource: 'tokenizer', inputSource: 'tokenizer' })
    expect(Math.abs((counted?.inputTokens ?? 0) - 2000)).toBeLessThanOrEqual(100)
    // Most words of a prompt are several tokens to it.
    expect(plan.found.words).toBeLessThan(1000)
    expect(notes).toMatch(/the tokenizer does, without the template/)
    expect(countTokens?.(' story')).toBe(2)
  })

  it('gives way to a server that counts', async () => {
    const { counted, countTokens } = await found({ answer: streamed({ word: ' story' }) }, { tokenizer })
    expect(counted).toMatchObject({ inputTokens: 512, inputSource: 'usage', outputTokens: 128, tokenSource: 'usage' })
    expect(countTokens).toBeUndefined()
  })

  it('sizes prompts without a preflight too', async () => {
    const { plan, notes, countTokens } = await found({}, { tokenizer, inputTokens: 2000, preflight: false })
    expect(plan.found.words).toBeLessThan(1000)
    expect(notes).toMatch(/by the tokenizer 2000 tokens/)
    expect(countTokens).toBeDefined()
  })

  it('that cannot be read is refused before anything is sent', async () => {
    const { error, target } = await failure({}, { tokenizer: '/nowhere/tokenizer.json' })
    expect(error).toMatchObject({ code: 'FILE_NOT_READABLE' })
    expect([...target.asked, ...target.gets]).toEqual([])
  })
})

describe('a server of the Responses API', () => {
  it('is asked and read in its own dialect', async () => {
    const { target, plan, counted } = await found({ answer: streamed({ overhead: 23 }) }, { endpoint: 'responses' })
    expect(target.asked).toHaveLength(2)
    expect(target.asked[1]).toMatchObject({ path: '/v1/responses', body: { max_output_tokens: 128, store: false } })
    expect(counted).toEqual({ inputTokens: 512, inputSource: 'usage', outputTokens: 128, tokenSource: 'usage' })
    expect(plan.found).toMatchObject({ words: 512 - 23, dialect: { endpoint: 'responses', ignoreEos: true } })
  })

  it('loses the fields that it refuses', async () => {
    const answer: FakeBehaviour['answer'] = async (asked, response, request) => {
      for (const field of ['ignore_eos', 'min_tokens', 'store']) {
        if (field in asked.body) return refuse(response, 400, `Unknown parameter: '${field}'.`)
      }
      await streamed()(asked, response, request)
    }
    const { target, plan } = await found({ answer }, { endpoint: 'responses' })
    expect(Object.keys(target.asked.at(-1)!.body)).toEqual(['model', 'input', 'max_output_tokens', 'stream'])
    expect(plan.found.dialect).not.toHaveProperty('store')
  })
})

describe('a server that passes over the limit', () => {
  it('by one name is asked by the other', async () => {
    const answer = streamed({ limitFields: ['max_completion_tokens'], stopsAt: 300, heeds: 'nothing' })
    const { plan, counted } = await found({ answer }, { outputTokens: 20 })
    expect(plan.found.dialect.limitField).toBe('max_completion_tokens')
    expect(counted?.outputTokens).toBe(20)
  })

  it('but ends its answers is measured, and a person is told', async () => {
    const answer = streamed({ limitFields: [], stopsAt: 30, heeds: 'nothing' })
    const { plan, notes, counted } = await found({ answer }, { outputTokens: 20 })
    expect(plan.found.dialect.limitField).toBe('max_tokens')
    expect(counted?.outputTokens).toBe(30)
    expect(notes).toContain('answers run over: 30 tokens, not the 20 asked for')
  })

  it('and goes on without end is given up early', async () => {
    const answer = streamed({ limitFields: [], gapMs: 1 })
    const { error, target } = await failure({ answer }, { outputTokens: 20 })
    expect(error).toMatchObject({
      code: 'LIMIT_IGNORED',
      message: expect.stringMatching(/16 tokens were asked for, \d+ had come/),
    })
    expect(target.asked).toHaveLength(3)
  })
})

describe('a template longer than the prompt asked for', () => {
  it('gets one word, and a person is told', async () => {
    const { notes, plan, counted } = await found({ answer: streamed({ overhead: 60 }) }, { inputTokens: 20 })
    expect(plan.found.words).toBe(1)
    expect(counted?.inputTokens).toBe(61)
    expect(notes).toContain('61 tokens long, not the 20 asked for')
  })
})

describe('which model', () => {
  it('must be named where several are served, and they are listed', async () => {
    const { error, target } = await failure({ models: ['a', 'b', 'c'] })
    expect(error).toMatchObject({
      code: 'MODEL_REQUIRED',
      message: expect.stringContaining('serves 3 models: a, b, c'),
    })
    expect(target.asked).toHaveLength(0)
  })

  it('is taken as it is named, listed or not', async () => {
    const { target } = await found({ models: ['a'] }, { model: 'b' })
    expect(target.asked[0]!.body.model).toBe('b')
  })

  it('must be named where none is listed', async () => {
    expect((await failure({ models: [] })).error).toMatchObject({ code: 'MODEL_REQUIRED' })
  })

  it('is the deployment in an Azure path', async () => {
    const target = await startFakeTarget()
    open.push(target)
    const options = { url: `${target.url}/openai/deployments/gpt-x?api-version=2024-10-21`, apiKey: 'k-123456' }
    const session = openSession(options)
    open.push(session)
    expect((await prepare(session, options)).plan.model).toBe('gpt-x')
    expect(target.gets).toEqual([])
    expect(target.asked[0]).toMatchObject({
      path: '/openai/deployments/gpt-x/chat/completions?api-version=2024-10-21',
      headers: { 'api-key': 'k-123456' },
    })
  })
})

describe('a target that cannot be measured', () => {
  const json: FakeBehaviour['answer'] = (_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ choices: [{ message: { content: 'whole' } }] }))
  }
  const dies: FakeBehaviour['answer'] = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(token('half'), () => response.destroy())
  }
  it.each([
    [
      'does not know the key',
      ((_, response) => refuse(response, 401, 'Incorrect API key')) as FakeBehaviour['answer'],
      'TARGET_UNAUTHORIZED',
      1,
    ],
    [
      'does not have the model',
      ((_, response) => refuse(response, 404, 'The model `tiny` does not exist')) as FakeBehaviour['answer'],
      'MODEL_NOT_FOUND',
      1,
    ],
    ['does not stream', json, 'NOT_STREAMING', 1],
    ['dies mid-stream', dies, 'TARGET_FAILED', 1],
    ['is down', ((_, response) => refuse(response, 503, 'loading')) as FakeBehaviour['answer'], 'TARGET_FAILED', 1],
  ])('because it %s fails early and clearly', async (_, answer, code, requests) => {
    const { error, target } = await failure({ ...(answer && { answer }) })
    expect(error).toMatchObject({ code })
    expect(target.asked).toHaveLength(requests)
  })

  it('because it never answers', async () => {
    const { error } = await failure({ answer: () => {} }, { requestTimeoutS: 0.2 })
    expect(error).toMatchObject({ code: 'NO_ANSWER' })
  })

  it('because it never answers within the time limit of the run', async () => {
    const { error } = await failure({ answer: () => {} }, { timeLimitS: 0.2 })
    expect(error).toMatchObject({ code: 'NO_ANSWER', message: expect.stringContaining('time limit') })
  })

  it('because it is slow to list its models, after no longer than a token may take', async () => {
    const { error } = await failure({ modelsMs: 5000 }, { firstTokenTimeoutS: 0.2 })
    expect(error).toMatchObject({ code: 'NO_ANSWER', message: expect.stringContaining('within 0.2 s') })
    // The twin, whose list comes in time.
    expect((await found({ modelsMs: 50 }, { firstTokenTimeoutS: 5 })).plan.model).toBe('tiny')
  })

  it('because nobody listens', async () => {
    const target = await startFakeTarget()
    await target.close()
    const options = { url: target.url }
    const session = openSession(options)
    open.push(session)
    await expect(prepare(session, options)).rejects.toMatchObject({ code: 'TARGET_UNREACHABLE' })
  })
})

describe('--wait', () => {
  it('goes on until the model answers, not only the port', async () => {
    let posts = 0
    const answer: FakeBehaviour['answer'] = async (asked, response, request) => {
      if (++posts === 1) return refuse(response, 503, 'Loading model')
      await streamed()(asked, response, request)
    }
    const { target, counted, notes } = await found({ answer }, { waitS: 30 })
    expect(counted?.outputTokens).toBe(128)
    expect(notes).toMatch(/waiting: .*Loading model/)
    expect(target.asked.length).toBe(3)
  })

  it('does not wait for what will not pass', async () => {
    const started = performance.now()
    const { error } = await failure({ answer: (_, response) => refuse(response, 401, 'no') }, { waitS: 30 })
    expect(error).toMatchObject({ code: 'TARGET_UNAUTHORIZED' })
    expect(performance.now() - started).toBeLessThan(5000)
  })

  it('is not outlasted by a list of models that does not come', async () => {
    const { error } = await failure({ modelsMs: 60_000 }, { waitS: 0.3 })
    expect(error).toMatchObject({ code: 'NO_ANSWER', message: expect.stringContaining('within 0.3 s') })
  })

  it('ends with the last failure when the time is over', async () => {
    const { error } = await failure({ answer: (_, response) => refuse(response, 503, 'Loading model') }, { waitS: 0.5 })
    expect(error).toMatchObject({ code: 'TARGET_FAILED', message: expect.stringContaining('Loading model') })
  })
})

describe('who asks', () => {
  it.each([
    ['a key that is sent', '', [], 'using the key in the shell'],
    ['a key that the URL goes before', 'user:hunter22@', [], 'not using the key in the shell'],
    ['a key that a header goes before', '', ['Authorization: Token t0ken'], 'not using the key in the shell'],
  ])('is told of %s', async (_, userinfo, headers, said) => {
    const target = await startFakeTarget()
    open.push(target)
    const notes: string[] = []
    const options: MeasureOptions = {
      url: target.url.replace('//', `//${userinfo}`),
      apiKey: 'k-1234567890',
      apiKeyFrom: 'the shell',
      headers,
      onProgress: (progress) => {
        if (progress.kind === 'note') notes.push(progress.text)
      },
    }
    const session = openSession(options)
    open.push(session)
    await prepare(session, options)
    expect(notes[0]).toMatch(new RegExp(`^${said}`))
    expect(target.asked[0]!.headers.authorization === 'Bearer k-1234567890').toBe(!said.startsWith('not'))
    // A user called "user" has no part in what a role is called.
    expect(notes.join('\n')).toContain('"role":"user"')
    expect(notes.join('\n')).not.toMatch(/hunter22|t0ken|k-1234567890/)
  })
})

describe('--no-preflight', () => {
  it('sends nothing but the look-up of the model', async () => {
    const { target, plan } = await found({}, { preflight: false })
    expect(target.asked).toHaveLength(0)
    expect(target.gets).toEqual(['/v1/models'])
    expect(plan.found).toMatchObject({ words: 512, requests: 0 })
  })
})
