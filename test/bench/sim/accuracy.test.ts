import { describe, expect, test } from 'vitest'
import { readText } from '../../../bench/model/tables.ts'
import { readResult } from '../../../bench/results.ts'
import { parseRequests, serversOf } from '../../../bench/sim/recorded-run.ts'
import { scoreOf } from '../../../bench/sim/score.ts'
import { agrees } from '../../../bench/sim/split-report.ts'
import { tableStepTime } from '../../../bench/sim/table-step-time.ts'
import { lawStepTime, type ReplayServer, replay, type StepLoad } from '../../../src/sim/index.ts'

const facts = { maxNumSeqs: 256, maxBatchedTokens: 2048 }
const server = (kvTokens?: number): ReplayServer =>
  serversOf({ ...facts, ...(kvTokens !== undefined && { kvTokens }) })[0] as ReplayServer
const requests = parseRequests(readText('llmservingsim_vllm_requests_rtx4090.jsonl'))
const stepTime = tableStepTime({ hardware: 'RTX4090', model: 'meta-llama/Llama-3.1-8B', tp: 1, layers: 32 })

describe('a real server that queued for a minute', () => {
  test('is foretold from kernel times alone, means within 5 % and tails within 10 %', () => {
    for (const { mean, p90, p99 } of scoreOf(requests, replay(requests, server(41_408), stepTime), 0)) {
      expect(Math.abs(mean.errorPct)).toBeLessThan(5)
      expect(Math.abs(p90.errorPct)).toBeLessThan(10)
      expect(Math.abs(p99.errorPct)).toBeLessThan(10)
    }
  })

  test('without the limit of its cache is not: hardly anything waits', () => {
    const [ttft] = scoreOf(requests, replay(requests, server(), stepTime), 0)
    expect(ttft?.mean.errorPct).toBeLessThan(-85)
  })

  test('comes out of the recorded law as recorded', () => {
    const recorded = readResult('sim-accuracy')?.runs.find(
      ({ run, from }) => run.startsWith('RTX 4090') && from === 'its first third',
    )
    expect(recorded?.law).toBeDefined()
    if (recorded?.law === undefined) return
    const of = serversOf({ ...facts, kvTokens: 41_408 }).find(
      ({ policy }) => policy.asynchronous === recorded.asynchronous,
    ) as ReplayServer
    const played = replay(requests, of, lawStepTime(recorded.law))
    expect(played.preemptions).toBe(recorded.preemptions)
    const scores = scoreOf(requests, played, requests.length - recorded.requests)
    for (const [i, { mean, p99 }] of scores.entries()) {
      // Results are kept to five digits.
      expect(mean.simulatedS / (recorded.times[i]?.mean.simulatedS ?? 0)).toBeCloseTo(1, 4)
      expect(p99.simulatedS / (recorded.times[i]?.p99.simulatedS ?? 0)).toBeCloseTo(1, 4)
    }
  })
})

describe('steps timed by tables', () => {
  const load = (decoding: number, context: number): StepLoad => ({
    decoding,
    decodeKvTokens: decoding * context,
    completing: 0,
    completingKvTokens: 0,
    prefillTokens: 0,
    prefillContextTokens: 0,
  })

  test('are straight for as many steps as they say, and no further', () => {
    const at = (step: number): number => stepTime.seconds(load(20, 500 + step))
    // The table has columns at 512 and 1024.
    const steps = stepTime.straightFor(load(20, 500), 1000)
    expect(steps).toBe(13)
    for (let i = 2; i < steps; i++) expect(at(i) - at(i - 1)).toBeCloseTo(at(1) - at(0), 12)
    expect(Math.abs(at(steps) - at(steps - 1) - (at(1) - at(0)))).toBeGreaterThan(1e-9)
    expect(stepTime.straightFor(load(20, 500), 4)).toBe(4)
  })

  test('take longer with more sequences, longer ones, and prompts among them', () => {
    const alone = stepTime.seconds(load(20, 500))
    expect(stepTime.seconds(load(40, 500))).toBeGreaterThan(alone)
    expect(stepTime.seconds(load(20, 1000))).toBeGreaterThan(alone)
    const mixed = {
      ...load(20, 500),
      prefillTokens: 512,
      prefillContextTokens: 256,
      completing: 1,
      completingKvTokens: 512,
    }
    expect(stepTime.seconds(mixed)).toBeGreaterThan(
      alone + stepTime.seconds({ ...mixed, ...load(0, 0), prefillTokens: 512 }) / 2,
    )
  })
})

test('layouts that are as good as each other contradict nobody', () => {
  const speeds = (perGpu: number) => ({ perUser: 1, perGpu, ttftS: 1 })
  const crossing = (predicted: number, simulated: number) => ({
    users: 1,
    predicted: { together: speeds(100), split: speeds(predicted) },
    simulated: { together: speeds(100), split: speeds(simulated) },
  })
  expect(agrees(crossing(120, 110))).toBe(true)
  expect(agrees(crossing(120, 99.5))).toBe(true)
  expect(agrees(crossing(120, 90))).toBe(false)
  expect(agrees(crossing(80, 90))).toBe(true)
})
