import { describe, expect, it } from 'vitest'
import { askedOf, dayOf } from '../../../src/cli/planning/demand.ts'
import { parseProduct } from '../../../src/cli/planning/product-file.ts'
import { PRODUCTS } from '../../../src/plan/index.ts'

const kiosk = parseProduct('kiosk.yaml', 'name: kiosk\nfloor: 15\narrivals: 300/min\noutputTokens: 200\n')
const chat = { product: PRODUCTS.chat, demand: {} }
const night = parseProduct('night.yaml', 'name: night\nrequests: 10000\noutputTokens: 500\ndeadline: 6h\n')

describe('a product file', () => {
  it('may say what comes', () => {
    expect(kiosk.demand).toEqual({ arrivalsPerSecond: 5 })
    const users = parseProduct('u.yaml', 'name: u\nfloor: 15\nusers: 500\nthink: exponential:30s\n')
    expect(users.demand).toEqual({ users: 500, thinkS: 30 })
    expect(users.product).toEqual({ name: 'u', goal: 'pace', tokensPerSecond: 15 })
    expect(parseProduct('u.yaml', 'floor: 15\nusers: 500\nthink: 0s\n').demand).toEqual({ users: 500, thinkS: 0 })
  })

  it.each([
    ['floor: 5\narrivals: 5/s\nusers: 9\n', 'arrivals and users both'],
    ['floor: 5\nthink: 5s\n', 'think: it is how long users pause'],
    ['floor: 5\nusers: 9\nthink: 0\n', 'think: It takes a duration'],
    ['requests: 5\narrivals: 5/s\n', 'throughput has no arrivals'],
    ['floor: 5\narrivals: 5\n', 'arrivals: It takes a rate'],
    ['floor: 5\ngpuHour: 5\n', 'unknown key "gpuHour"'],
  ])('%j is refused', (yaml, problem) => {
    expect(() => parseProduct('p.yaml', yaml)).toThrow(problem)
  })
})

describe('what comes of products', () => {
  it('is of one what flags say, before its file', () => {
    expect(askedOf({}, [kiosk], undefined)[0]?.demand).toEqual({ arrivalsPerSecond: 5 })
    expect(askedOf({ users: 9 }, [kiosk], undefined)[0]?.demand).toEqual({ users: 9 })
    expect(askedOf({ arrivals: 7, outputTokens: 'uniform:100-300' }, [kiosk], undefined)[0]?.demand).toEqual({
      arrivalsPerSecond: 7,
      outputTokens: 200,
    })
  })

  it('is of several what each says, and of the flags what is of its kind', () => {
    const flags = { arrivals: 7, outputTokens: 300, replicas: 2, gpuHour: 2.5, headroom: 0.2 }
    const [first, second, third] = askedOf(flags, [kiosk, chat, night], undefined)
    expect(first?.demand).toEqual({ arrivalsPerSecond: 5, headroom: 0.2, gpuHour: 2.5 })
    expect(second?.demand).toEqual({ arrivalsPerSecond: 7, headroom: 0.2, gpuHour: 2.5, outputTokens: 300 })
    expect(third?.demand).toEqual({ replicas: 2, gpuHour: 2.5 })
  })

  it('is drawn as it is distributed: of one as the flags say, of several as its file does', () => {
    const widely = parseProduct('w.yaml', 'name: w\nfloor: 15\narrivals: 1/s\noutputTokens: lognormal:300,0.8\n')
    const flags = { inputTokens: 100, outputTokens: 'uniform:100-300' }
    const kinds = (asked: ReturnType<typeof askedOf>): unknown[] =>
      asked.map(({ lengths }) => [lengths?.input?.kind, lengths?.output?.kind])
    expect(kinds(askedOf({}, [widely], undefined))).toEqual([[undefined, 'lognormal']])
    expect(kinds(askedOf(flags, [widely], undefined))).toEqual([['fixed', 'uniform']])
    expect(kinds(askedOf(flags, [widely, kiosk], undefined))).toEqual([
      ['fixed', 'lognormal'],
      ['fixed', 'fixed'],
    ])
    // Its median is 300: the mean of what it draws is 300·e^(0.8²/2).
    expect(widely.product.outputTokens).toBe(413)
  })

  it('is refused where every product says it, and a flag too', () => {
    const other = parseProduct('o.yaml', 'name: o\nfloor: 15\nusers: 9\noutputTokens: 200\n')
    const whose = "what comes, and every product's own file says it: arrivals of kiosk, users of o"
    expect(() => askedOf({ arrivals: 7 }, [kiosk, other], undefined)).toThrow(`--arrivals would say ${whose}`)
    const day = { kind: 'curve', points: [] } as const
    expect(() => askedOf({}, [kiosk, other], day)).toThrow(`--curve would say ${whose}`)
    expect(askedOf({}, [kiosk, other], undefined)).toHaveLength(2)
  })

  it('is refused where it is given once and two would have it', () => {
    const two = [chat, { product: PRODUCTS.code, demand: {} }]
    expect(() => askedOf({ arrivals: 7 }, two, undefined)).toThrow(/chat and code do not say how much/)
    expect(askedOf({}, two, undefined)).toHaveLength(2)
  })
})

describe('a day', () => {
  const curve = [
    { atS: 0, rate: 2 },
    { atS: 86_400, rate: 2 },
  ]
  it('is a curve, or nothing, and not two things', async () => {
    expect(await dayOf({ curve })).toEqual({ kind: 'curve', points: curve })
    expect(await dayOf({})).toBeUndefined()
    await expect(dayOf({ curve, trace: 'x' })).rejects.toThrow('both say')
    await expect(dayOf({ speedup: 2 })).rejects.toThrow('there is none')
  })
})
