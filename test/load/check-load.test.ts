import { describe, expect, it } from 'vitest'
import { checkLoad } from '../../src/load/check-load.ts'
import type { MeasureOptions } from '../../src/load/options.ts'

const check = (options: Partial<MeasureOptions>) => () => checkLoad({ url: 'http://localhost', ...options })
const trace = { path: 'trace.csv' }

describe('loads', () => {
  it.each<[string, Partial<MeasureOptions>]>([
    ['nothing', {}],
    ['users', { concurrency: [1, 2] }],
    ['users who think', { concurrency: [4], think: { meanS: 2 } }],
    ['users over a ramp', { concurrency: [4], rampS: 60 }],
    ['a rate', { rates: [0.5, 5] }],
    ['a rate of one in the whole window', { rates: [5, 0.5], durationS: 2 }],
    ['a rare rate for so many requests', { rates: [0.0001], requests: 20 }],
    ['an even rate', { rates: [5], arrivalProcess: 'constant' }],
    ['a bursty rate', { rates: [5], burstiness: 0.5 }],
    ['a bursty rate in so many words', { rates: [5], arrivalProcess: 'gamma', burstiness: 0.5 }],
    ['a rate over a ramp, with few connections', { rates: [5], rampS: 10, maxInFlight: 100 }],
    ['a trace', { trace }],
    ['a fast trace with few connections', { trace: { ...trace, speedup: 2 }, maxInFlight: 100 }],
  ])('are taken: %s', (_, options) => {
    expect(check(options)).not.toThrow()
  })

  it.each<[string, Partial<MeasureOptions>, string]>([
    ['users and a rate', { concurrency: [1], rates: [5] }, '--concurrency and --rate'],
    ['users and a trace', { concurrency: [1], trace }, '--concurrency and --trace'],
    ['a rate and a trace', { rates: [5], trace }, '--rate and --trace'],
    ['a rate rarer than the window is long', { rates: [5, 0.0001], durationS: 2 }, '10000 s apart'],
    ['thinking at a rate', { rates: [5], think: { meanS: 2 } }, '--think'],
    ['thinking in a trace', { trace, think: { meanS: 2 } }, '--think'],
    ['a ramp of a trace', { trace, rampS: 10 }, '--ramp'],
    ['burstiness of users', { concurrency: [1], burstiness: 1 }, '--burstiness'],
    ['burstiness of a trace', { trace, burstiness: 1 }, '--trace'],
    ['arrivals of nobody', { arrivalProcess: 'constant' }, '--arrival-process'],
    ['even and bursty', { rates: [5], arrivalProcess: 'constant', burstiness: 1 }, 'constant'],
    ['Poisson and bursty', { rates: [5], arrivalProcess: 'poisson', burstiness: 2 }, 'poisson'],
    ['gamma without a shape', { rates: [5], arrivalProcess: 'gamma' }, 'how bursty'],
    ['few connections for users', { concurrency: [8], maxInFlight: 4 }, '--max-in-flight'],
  ])('that mean nothing together are refused with the reason: %s', (_, options, says) => {
    expect(check(options)).toThrow(expect.objectContaining({ code: 'CONFLICTING_FLAGS' }))
    expect(check(options)).toThrow(says)
  })

  it.each<[string, Partial<MeasureOptions>]>([
    ['no rate', { rates: [] }],
    ['a rate of 0', { rates: [5, 0] }],
    ['an endless rate', { rates: [Number.POSITIVE_INFINITY] }],
    ['NaN', { rates: [Number.NaN] }],
    ['burstiness of 0', { rates: [5], burstiness: 0 }],
    ['a pause of nothing', { think: { meanS: 0 } }],
    ['a ramp that ends before it begins', { rampS: -1 }],
    ['no connection', { rates: [5], maxInFlight: 0 }],
    ['more connections than ports', { rates: [5], maxInFlight: 100_000 }],
    ['a trace that stands still', { trace: { ...trace, speedup: 0 } }],
  ])('that cannot be are refused: %s', (_, options) => {
    expect(check(options)).toThrow(expect.objectContaining({ code: 'INVALID_VALUE' }))
  })
})
