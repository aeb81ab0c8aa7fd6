import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../src/core/index.ts'
import type { Law } from '../../../src/model/index.ts'
import {
  fitBySimulation,
  lawStepTime,
  type ObservedInstant,
  type ObservedRequest,
  type ReplayServer,
  replay,
} from '../../../src/sim/index.ts'

const LAW: Law = {
  baseS: 0.015,
  perSequenceS: 0.0001,
  perThousandKvTokensS: 0.0002,
  perPrefillTokenS: 0.00005,
}

const server = (asynchronous: boolean, kvTokens = 12_000): ReplayServer => ({
  dataParallel: 1,
  policy: {
    maxNumSeqs: 64,
    maxBatchedTokens: 1024,
    kvTokens,
    blockTokens: 16,
    prefill: 'chunked',
    kv: 'preempt',
    admission: 'fcfs',
    asynchronous,
    prefixCache: true,
    wholePrompt: true,
  },
})

/** 60 requests in a few seconds: more than the cache holds, so that they queue and give way. */
function load(): readonly ObservedRequest[] {
  const random = createRandom('observed')
  let atS = 0
  return Array.from({ length: 60 }, () => {
    atS += random.next() / 10
    return { atS, promptTokens: 100 + random.below(900), outputTokens: 50 + random.below(150) }
  })
}

/** As if a server that obeys the law had been watched; the outcome is told of the first `told`. */
function observed(law: Law, of: ReplayServer, told: number): readonly ObservedRequest[] {
  const requests = load()
  const { firstTokenS, lastTokenS } = replay(requests, of, lawStepTime(law))
  return requests.map((request, i) =>
    i < told ? { ...request, outcome: { firstTokenS: firstTokenS[i] ?? 0, lastTokenS: lastTokenS[i] ?? 0 } } : request,
  )
}

/** How far the fitted law's outcome is from the true one's: of requests from `from` on, the mean relative error of end-to-end time. */
function outcomeError(law: Law, of: ReplayServer, from: number): number {
  const requests = load()
  const [truth, ours] = [replay(requests, server(true), lawStepTime(LAW)), replay(requests, of, lawStepTime(law))]
  const errors = requests
    .map(
      ({ atS }, i) =>
        Math.abs((ours.lastTokenS[i] ?? 0) - (truth.lastTokenS[i] ?? 0)) / ((truth.lastTokenS[i] ?? 0) - atS),
    )
    .slice(from)
  return errors.reduce((sum, error) => sum + error, 0) / errors.length
}

describe('a law found by simulation', () => {
  test('of the first third of an overloaded run tells what becomes of the others, and how the server decides its steps', () => {
    const requests = observed(LAW, server(true), 20)
    const fit = fitBySimulation({ requests, servers: [server(false), server(true)] })
    expect(fit.server.policy.asynchronous).toBe(true)
    expect(Math.min(...fit.misfits)).toBe(fit.misfits[1])
    expect(outcomeError(fit.law, fit.server, 20)).toBeLessThan(0.01)
    // Without the limit of the cache the same run cannot be explained.
    const unlimited = fitBySimulation({ requests, servers: [server(true, Number.POSITIVE_INFINITY)] })
    expect(unlimited.misfits[0]).toBeGreaterThan(5 * (fit.misfits[1] ?? 0))
  })

  test('of what the server said of itself each second, on a clock with a lead, does too', () => {
    const requests = load()
    const instants = Array.from({ length: 40 }, (_, i) => (i + 1) / 2)
    const leadS = 0.37
    const seen = replay(
      requests,
      server(true),
      lawStepTime(LAW),
      instants.map((atS) => atS - leadS),
    )
    const before = (i: number): number => (i === 0 ? 0 : (seen.outputTokens[i - 1] ?? 0))
    const readBefore = (atS: number): number =>
      requests.reduce(
        (sum, { promptTokens }, i) => sum + ((seen.firstTokenS[i] ?? 0) < atS - leadS ? promptTokens : 0),
        0,
      )
    const told = instants.map(
      (atS, i): ObservedInstant => ({
        atS,
        promptTokens: readBefore(atS) - (i === 0 ? 0 : readBefore(instants[i - 1] ?? 0)),
        outputTokens: (seen.outputTokens[i] ?? 0) - before(i),
        running: seen.running[i] ?? 0,
        waiting: seen.waiting[i] ?? 0,
      }),
    )
    const fit = fitBySimulation({ requests, instants: told, servers: [server(true)] })
    expect(outcomeError(fit.law, fit.server, 0)).toBeLessThan(0.01)
  })

  test('is the same each time', () => {
    const requests = observed(LAW, server(true), 20)
    const again = (): unknown => fitBySimulation({ requests, servers: [server(true)] })
    expect(again()).toEqual(again())
  })

  test('names all that is wrong with what was observed', () => {
    const requests: readonly ObservedRequest[] = [
      { atS: 1, promptTokens: 10, outputTokens: 5 },
      { atS: 0, promptTokens: 10, outputTokens: 1, outcome: { firstTokenS: -1, lastTokenS: -1 } },
    ]
    expect(() => fitBySimulation({ requests, servers: [] })).toThrow(
      /no server is given.*request 2 comes before.*request 2 has its first token before.*nothing was observed/,
    )
  })

  test('says that a request was answered which the cache given cannot hold', () => {
    const requests = observed(LAW, server(true), 20)
    expect(() => fitBySimulation({ requests, servers: [server(true, 512)] })).toThrow(
      expect.objectContaining({ code: 'NEVER_FITS' }),
    )
  })
})
