import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RequestRecord } from '../../../src/core/index.ts'
import { measure } from '../../../src/load/index.ts'
import type { MeasureOptions } from '../../../src/load/options.ts'
import { readRecords } from '../../../src/store/index.ts'
import { type Asked, type FakeBehaviour, type FakeTarget, startFakeTarget, streamed } from '../fake-target.ts'

/** Answers of six tokens where no limit is sent. */
const answer: FakeBehaviour['answer'] = ({ body, ...rest }, response, request) =>
  streamed({ overhead: 9, perWord: 1.3 })({ ...rest, body: { max_tokens: 6, ...body } }, response, request)

let target: FakeTarget
let folder = ''
beforeEach(async () => {
  target = await startFakeTarget({ answer })
  folder = mkdtempSync(join(tmpdir(), 'twospeed-'))
})
afterEach(async () => {
  await target.close()
  rmSync(folder, { recursive: true })
})

/** A short run; its records, what it says was asked, and the measured requests as the server got them. */
async function measured(more: Partial<MeasureOptions>) {
  const notes: string[] = []
  const out = join(folder, 'run')
  const run = await measure({
    url: target.url,
    concurrency: [2],
    requests: 24,
    outputTokens: 4,
    seed: 1,
    out,
    onProgress: (progress) => {
      if (progress.kind === 'note') notes.push(progress.text)
    },
    ...more,
  })
  const records: RequestRecord[] = []
  for await (const record of readRecords(out)) records.push(record)
  const asked = target.asked.slice(Number(run.workload.preflightRequests))
  return { run, records, asked, notes: notes.join('\n') }
}

const messagesOf = ({ body }: Asked) => body.messages as readonly { readonly role: string; readonly content: string }[]

describe('a distribution', () => {
  it('is what the records were asked for, and what the server counted, within 2 %', async () => {
    const { run, records } = await measured({ inputTokens: 'lognormal:400,0.6', outputTokens: 'uniform:3-6' })
    expect(new Set(records.map(({ askedInputTokens }) => askedInputTokens)).size).toBeGreaterThan(15)
    for (const { askedInputTokens = 0, inputTokens = 0, askedOutputTokens, outputTokens } of records) {
      expect(Math.abs(inputTokens - askedInputTokens)).toBeLessThanOrEqual(Math.max(2, 0.02 * askedInputTokens))
      expect(outputTokens).toBe(askedOutputTokens)
    }
    expect(run.workload).toMatchObject({ inputTokens: 'lognormal:400,0.6', outputTokens: 'uniform:3-6' })
  })
})

describe('short lengths', () => {
  it('land too: a preflight tries one from which the words of others can be told', async () => {
    const { records } = await measured({ inputTokens: 'uniform:12-60' })
    for (const { askedInputTokens = 0, inputTokens = 0 } of records) {
      expect(Math.abs(inputTokens - askedInputTokens)).toBeLessThanOrEqual(1)
    }
  })
})

describe('turns', () => {
  it('send the server its own answers again', async () => {
    const { asked, records } = await measured({ inputTokens: 30, turns: 3 })
    const lengths = new Set(asked.map((one) => messagesOf(one).length))
    expect(lengths).toEqual(new Set([1, 3, 5]))
    const answers = asked.flatMap((one) => messagesOf(one).filter(({ role }) => role === 'assistant'))
    expect(new Set(answers.map(({ content }) => content))).toEqual(new Set([' word word word word']))
    expect(Math.max(...records.map(({ inputTokens = 0 }) => inputTokens))).toBeGreaterThan(90)
    for (const { askedInputTokens = 0, inputTokens = 0 } of records) {
      // Four tokens of answer are 5.2 to this server when they come back.
      expect(Math.abs(inputTokens - askedInputTokens)).toBeLessThanOrEqual(2)
    }
  })
})

describe('sampling and extra fields', () => {
  it('are in every body, the preflight’s too, and in the run', async () => {
    const extra = { temperature: 0.7, top_p: 0.9, top_k: 5 }
    const { run, notes } = await measured({ temperature: 0.7, topP: 0.9, extraBody: { top_k: 5 } })
    for (const { body } of target.asked) expect(body).toMatchObject(extra)
    expect(run.workload.extraBody).toEqual(extra)
    expect(notes).toMatch(/body: .*"temperature":0\.7,"top_p":0\.9,"top_k":5/)
  })
})

describe('own prompts', () => {
  it('are what is measured, without a limit where none is given, and not kept whole', async () => {
    const prompts = join(folder, 'prompts.jsonl')
    const texts = ['a', 'b', 'c'].map((letter) => `${letter} long story about nothing, `.repeat(9))
    writeFileSync(prompts, texts.map((prompt) => JSON.stringify({ prompt })).join('\n'))
    const { asked, run, records } = await measured({ prompts, outputTokens: undefined as never })
    expect(new Set(records.map(({ outputTokens }) => outputTokens))).toEqual(new Set([6]))
    expect(new Set(asked.map((one) => messagesOf(one)[0]?.content))).toEqual(new Set(texts))
    for (const { body } of asked) expect(Object.keys(body)).not.toContain('max_tokens')
    expect(JSON.stringify(run.workload).length).toBeLessThan(1500)
    expect(run.workload).not.toHaveProperty('outputTokens')
  })
})
