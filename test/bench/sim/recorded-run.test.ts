import { describe, expect, test } from 'vitest'
import { parseRequests, parseSeries } from '../../../bench/sim/recorded-run.ts'

const line = (input: number, arrival: number, queued: number): string =>
  JSON.stringify({
    input_toks: input,
    output_toks: 3,
    arrival_time: arrival,
    queued_ts: queued,
    first_token_ts: queued + 0.5,
    last_token_ts: queued + 1,
  })

describe('requests of a recorded run', () => {
  test('are in order of arrival, on one clock that begins with the first', () => {
    // The clocks are 1000 s apart, as the second shows, which was queued at once; the first waited 0.25 s for the engine to look.
    const requests = parseRequests(`${line(20, 1002, 2.25)}\n${line(10, 1001, 1)}\r\n\n`)
    expect(requests.map(({ atS, promptTokens }) => [atS, promptTokens])).toEqual([
      [0, 10],
      [1, 20],
    ])
    expect(requests.map(({ outcome }) => outcome.firstTokenS)).toEqual([0.5, 1.75])
    expect(requests.map(({ outcome }) => outcome.lastTokenS)).toEqual([1, 2.25])
  })

  test('that lack a number are refused with their line', () => {
    expect(() => parseRequests(`${line(20, 1, 1)}\n{"input_toks": 5}`)).toThrow(/line 2 .* output_toks, arrival_time/)
  })
})

describe('its series', () => {
  test('is tokens of each tick, by the names of its columns', () => {
    const text =
      'gen_throughput,t,prompt_throughput,waiting,running\r\n10,0.5,100,3,2\r\n20,1.0,0,0,1\r\n6,2.0,0,0,1\r\n'
    expect(parseSeries(text)).toEqual([
      { atS: 0.5, promptTokens: 50, outputTokens: 5, running: 2, waiting: 3 },
      { atS: 1, promptTokens: 0, outputTokens: 10, running: 1, waiting: 0 },
      { atS: 2, promptTokens: 0, outputTokens: 3, running: 1, waiting: 0 },
    ])
  })

  test('without a column is refused by its name', () => {
    expect(() => parseSeries('t,running\n1,2\n')).toThrow(/prompt_throughput, gen_throughput, waiting/)
  })
})
