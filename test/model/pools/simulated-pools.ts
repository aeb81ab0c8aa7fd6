import { createRandom } from '../../../src/core/index.ts'

/** What the pools of a simulation are, in seconds. */
export interface SimulatedPools {
  readonly prefill: { readonly places: number; readonly seconds: number }
  readonly decode: { readonly instances: number; stepSeconds(sequences: number): number }
  readonly transferS: number
  readonly outputTokens: number
  readonly load: number
}

export interface SimulatedSpeeds {
  readonly tokensPerSecondPerUser: number
  readonly outputTokensPerSecond: number
  readonly ttftS: number
}

interface Request {
  readonly sentS: number
  tokensLeft: number
  started: boolean
}

interface Instance {
  active: Request[]
  joining: Request[]
  stepS: number
  /** End of the step under way. */
  untilS: number
}

interface Delayed {
  readonly request: Request
  readonly untilS: number
}

/**
 * Split pools event by event: a queue before the prefill places, a delay for the cache, and decode instances that step, the emptiest of
 * which takes what comes. An answer has 0.5 to 1.5 times the mean tokens; each request is followed at once by the next. The first third
 * of the requests is not counted.
 */
export function simulatePools(pools: SimulatedPools, requests: number, seed: number): SimulatedSpeeds {
  const { prefill, decode, transferS, outputTokens, load } = pools
  const random = createRandom(seed)
  const queue: Request[] = []
  let reading: Delayed[] = []
  let onTheWay: Delayed[] = []
  const instances = Array.from(
    { length: decode.instances },
    (): Instance => ({ active: [], joining: [], stepS: 0, untilS: Number.POSITIVE_INFINITY }),
  )
  const sum = { tokens: 0, streamS: 0, ttftS: 0, firsts: 0 }
  let [nowS, sinceS, ended] = [0, 0, 0]

  const send = (): void => {
    queue.push({ sentS: nowS, tokensLeft: Math.round(outputTokens * (0.5 + random.next())), started: false })
  }
  const begin = (instance: Instance): void => {
    instance.active.push(...instance.joining.splice(0))
    instance.stepS = decode.stepSeconds(instance.active.length)
    instance.untilS = instance.active.length === 0 ? Number.POSITIVE_INFINITY : nowS + instance.stepS
  }
  const end = (instance: Instance): void => {
    for (const request of instance.active) {
      request.tokensLeft--
      if (ended >= requests / 3) {
        sum.tokens++
        sum.streamS += instance.stepS
        if (!request.started) {
          sum.firsts++
          sum.ttftS += nowS - request.sentS
        }
      } else sinceS = nowS
      request.started = true
    }
    const left = instance.active.filter(({ tokensLeft }) => tokensLeft > 0)
    const gone = instance.active.length - left.length
    ended += gone
    for (let i = 0; i < gone; i++) send()
    instance.active = left
    begin(instance)
  }
  const due = ({ untilS }: { readonly untilS: number }): boolean => untilS <= nowS

  for (let i = 0; i < load; i++) send()
  while (ended < requests) {
    reading.push(
      ...queue
        .splice(0, prefill.places - reading.length)
        .map((request) => ({ request, untilS: nowS + prefill.seconds })),
    )
    nowS = [...reading, ...onTheWay, ...instances].reduce(
      (least, { untilS }) => Math.min(least, untilS),
      Number.POSITIVE_INFINITY,
    )
    onTheWay.push(...reading.filter(due).map(({ request }) => ({ request, untilS: nowS + transferS })))
    reading = reading.filter((one) => !due(one))
    for (const { request } of onTheWay.filter(due)) {
      const emptiest = instances.reduce((a, b) => (sizeOf(b) < sizeOf(a) ? b : a))
      emptiest.joining.push(request)
      if (emptiest.active.length === 0) begin(emptiest)
    }
    onTheWay = onTheWay.filter((one) => !due(one))
    for (const instance of instances) if (due(instance)) end(instance)
  }
  return {
    tokensPerSecondPerUser: sum.tokens / sum.streamS,
    outputTokensPerSecond: sum.tokens / (nowS - sinceS),
    ttftS: sum.ttftS / sum.firsts,
  }
}

function sizeOf({ active, joining }: Instance): number {
  return active.length + joining.length
}
