import { describe, expect, it } from 'vitest'
import type { ServerEngine, ServerSettings } from '../../../src/core/index.ts'
import { createConfiguration, createStepModel, findAccelerator, findModel } from '../../../src/model/index.ts'
import { settingsOf } from '../../../src/plan/choosing/settings.ts'
import { chooseAmong, evidenceOfPoints, evidenceOfRows, type Product } from '../../../src/plan/index.ts'
import { candidateOf, evidenceOfLine, LESSON } from '../../support/candidates.ts'

const pace = (tokensPerSecond: number): Product => ({ name: 'test', goal: 'pace', tokensPerSecond })
const lesson = evidenceOfLine({ ...LESSON, gpus: 1 })
const of = (settings: ServerSettings | undefined, engine: ServerEngine) =>
  settings?.engines.find((one) => one.engine === engine)

describe('the settings that hold a point', () => {
  it('are the limit in flight under the name that each server has for it', () => {
    const { settings } = chooseAmong([candidateOf('lesson', lesson)], pace(50))
    expect(settings?.inFlight).toBe(60)
    expect(settings?.engines.map(({ command }) => command)).toEqual([
      '--max-num-seqs 60',
      '--max-running-requests 60',
      '--max_batch_size 60',
      '--parallel 60',
      'OLLAMA_NUM_PARALLEL=60',
    ])
    expect(settings?.sentences).toEqual([
      'Let the server take at most 60 in flight; what comes beyond that waits and slows nobody down.',
    ])
    expect(of(settings, 'llama.cpp')?.notes[0]).toContain('60 times the longest request')
  })

  it('divide the context of llama.cpp among its slots, and leave that of Ollama whole', () => {
    const lengths = { input: 500, output: 300 }
    const { settings } = chooseAmong([candidateOf('lesson', lesson)], pace(50), { lengths })
    // 800 tokens come in slots of 1 024.
    expect(of(settings, 'llama.cpp')?.settings).toEqual({ '--parallel': 60, '--ctx-size': 60 * 1024 })
    expect(of(settings, 'ollama')?.settings).toEqual({ OLLAMA_NUM_PARALLEL: 60, OLLAMA_CONTEXT_LENGTH: 1024 })
    // 60 that decode, and 60 × 500 ÷ 300 tokens of prompts a step.
    expect(settings?.stepTokens).toEqual({ least: 160 })
    expect(settings?.sentences[1]).toContain('160 tokens: 60 that decode, and 60 × 500 ÷ 300 of prompts')
    expect(of(settings, 'vllm')?.notes).toEqual([
      '--max-num-batched-tokens must be 160 at least, for prompts to be kept up with.',
    ])
    expect(of(settings, 'sglang')?.notes[0]).toContain('--chunked-prefill-size must be 100 at least')
  })

  it('begin with the server that was measured', () => {
    const first = (engine: string) => {
      const candidate = candidateOf('lesson', lesson, { engine })
      return chooseAmong([candidate], pace(50)).settings?.engines[0]
    }
    expect(first('SGLang 0.4.6')).toMatchObject({ engine: 'sglang', measured: true })
    expect(first('llama')).toMatchObject({ engine: 'llama.cpp', measured: true })
    expect(first('ollama/0.5')).toMatchObject({ engine: 'ollama', measured: true })
    expect(first('TensorRT-LLM')).toMatchObject({ engine: 'tensorrt-llm', measured: true })
    expect(first('something')?.measured).toBeUndefined()
  })

  it('are of one replica where several were measured, and of one rank where attention is copied', () => {
    const rows = [20, 80].map((concurrency) => ({
      members: [0],
      load: 2 * concurrency,
      batch: concurrency,
      stepS: 0.005 + 0.00025 * concurrency,
      outputTokensPerSecond: (2 * concurrency) / (0.005 + 0.00025 * concurrency),
    }))
    const two = evidenceOfPoints(rows, { gpus: 2, replicas: 2 })
    const { choice, settings } = chooseAmong([candidateOf('two', two)], pace(50))
    expect(choice.concurrency).toBe(120)
    expect(settings?.inFlight).toBe(60)
    expect(settings?.sentences[0]).toContain('each replica take at most 60 in flight (2 replicas take 120)')
    const copied = chooseAmong([candidateOf('copied', lesson, { copies: 8 })], pace(50)).settings
    // 60 over 8 are 7 each: what is over would be too slow.
    expect(copied).toMatchObject({ inFlight: 56, perCopy: { copies: 8, inFlight: 7 } })
    expect(of(copied, 'vllm')?.settings).toEqual({ '--max-num-seqs': 7 })
    expect(of(copied, 'sglang')?.settings).toEqual({ '--max-running-requests': 56 })
    expect(of(copied, 'llama.cpp')).toBeUndefined()
  })

  it('tell the most that a step may read, where a law says what a prompt token takes: just as long as the floor', () => {
    const law = { baseS: 0.005, perSequenceS: 0.0002, perPrefillTokenS: 0.00002 }
    const evidence = evidenceOfRows([], { law })
    const lengths = { input: 512, output: 256 }
    const held = { candidate: {}, evidence, product: pace(50), inFlight: 50, lengths }
    const { stepTokens, engines } = settingsOf(held)
    // 5 ms + 50 × 0.2 ms = 15 ms, and 5 ms are left for 250 tokens of prompts beside the 50.
    expect(stepTokens).toEqual({ least: 150, most: 300 })
    expect(engines[0]?.notes[0]).toContain('--max-num-batched-tokens must be 150 at least')
    expect(engines[0]?.notes[0]).toContain('up to 300 no step is longer')
    expect(engines[1]?.notes[0]).toContain('up to 250 no step is longer')
    // The usual budget keeps up with so few prompts, and with these it does not.
    expect(engines[0]?.settings).toEqual({ '--max-num-seqs': 50 })
    const long = settingsOf({ ...held, lengths: { input: 51_200, output: 256 } })
    expect(long.engines[0]?.settings).toEqual({ '--max-num-seqs': 50, '--max-num-batched-tokens': 10_050 })
    expect(long.engines[1]?.settings).toEqual({ '--max-running-requests': 50, '--chunked-prefill-size': 10_000 })
    const roomy = settingsOf({ ...held, evidence: evidenceOfRows([], { law: { ...law, perPrefillTokenS: 1e-7 } }) })
    expect(roomy.stepTokens).toEqual({ least: 150, most: 50_050 })
    expect(settingsOf({ ...held, product: { name: 'night', goal: 'throughput' } }).stepTokens).toEqual({ least: 150 })
  })

  it('of a prediction the most is what its own step model says', () => {
    const configuration = createConfiguration({ model: findModel('llama-3.1-8b'), gpu: findAccelerator('h100-sxm') })
    const lengths = { input: 1024, output: 256 }
    const held = { candidate: { configuration }, evidence: lesson, product: pace(40), inFlight: 32, lengths }
    const { stepTokens: { most = 0 } = {} } = settingsOf(held)
    const model = createStepModel(configuration)
    const takes = (prefillTokens: number): number =>
      model.stepSeconds({ sequences: 32, contextTokens: 1152, prefillTokens, prefillContextTokens: 512 })
    expect(takes(most - 32)).toBeLessThanOrEqual(1 / 40)
    expect(takes(most - 31)).toBeGreaterThan(1 / 40)
    // Instances that only decode read no prompts.
    expect(settingsOf({ ...held, candidate: { configuration, isSplit: true } }).stepTokens).toBeUndefined()
  })
})
