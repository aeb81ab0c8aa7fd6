import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TwospeedError } from '../../../src/core/index.ts'
import { choose, chooseAmong, evidenceOfRows, type Product } from '../../../src/plan/index.ts'
import { candidateOf, evidenceOfLine, LESSON } from '../../support/candidates.ts'
import { refusal } from '../../support/refusal.ts'

const pace = (tokensPerSecond: number, ttftMs?: number): Product => ({
  name: 'test',
  goal: 'pace',
  tokensPerSecond,
  ...(ttftMs !== undefined && { ttftMs }),
})

const line = fc.record({
  a: fc.double({ min: 1e-3, max: 0.02, noNaN: true }),
  b: fc.double({ min: 1e-5, max: 1e-3, noNaN: true }),
  gpus: fc.integer({ min: 1, max: 8 }),
})
const lines = fc.array(line, { minLength: 2, maxLength: 4 })
const floors = fc.double({ min: 5, max: 150, noNaN: true })

describe('one candidate', () => {
  const evidence = evidenceOfLine({ ...LESSON, gpus: 2 })

  it('gives the point that choose gives, with all that choose says of it', () => {
    for (const floor of [20, 50, 100, 150]) {
      const plain = choose(evidence, pace(floor))
      const among = chooseAmong([candidateOf('one', evidence)], pace(floor))
      expect(among).toMatchObject(plain)
      expect(among.choice).toEqual(plain.choice)
      expect(among.alternatives).toBeUndefined()
      expect(among.chosenBy).toBeUndefined()
    }
  })

  it('says in figures what the point costs against both neighbours', () => {
    const { against = [] } = chooseAmong([candidateOf('one', evidence)], pace(50))
    // 60 in flight have 50 tok/s each and 3 000 in all, beside 100 and 2 000 at 20, and 40 and 3 200 at 80.
    expect(against.map(({ concurrency }) => concurrency)).toEqual([20, 80])
    expect(against[0]?.tokensPerSecondPerUser).toBeCloseTo(-0.5, 9)
    expect(against[0]?.outputTokensPerSecond).toBeCloseTo(0.5, 9)
    expect(against[1]?.tokensPerSecondPerUser).toBeCloseTo(0.25, 9)
    expect(against[1]?.outputTokensPerSecond).toBeCloseTo(-0.0625, 9)
    expect(against[0]?.sentence).toContain('each stream has 50 % less pace (50 beside 100 tok/s)')
    expect(against[0]?.sentence).toContain('the server makes 50 % more (3,000 beside 2,000 tok/s)')
  })

  it('is refused as choose refuses it, with how many times as fast a stream would have to be', () => {
    const plain = refusal(() => choose(evidence, pace(250)))
    const among = refusal(() => chooseAmong([candidateOf('one', evidence)], pace(250)))
    expect(among.message).toBe(plain.message)
    // 1/T(1) = 190.5 tok/s.
    expect(among.hint).toContain('One stream must be 1.31 times as fast.')
  })
})

describe('among several', () => {
  it('the choice makes most for each GPU of all that hold, each at the point that choose finds for it', () => {
    fc.assert(
      fc.property(lines, floors, (given, floor) => {
        const candidates = given.map((one, i) => candidateOf(`c${i}`, evidenceOfLine(one)))
        const each = candidates.flatMap((candidate) => {
          try {
            return [{ name: candidate.name, point: choose(candidate.evidenceFor(), pace(floor)).choice }]
          } catch {
            return []
          }
        })
        const most = Math.max(...each.map(({ point }) => point.tokensPerSecondPerGpu ?? 0))
        if (each.length === 0) {
          expect(refusal(() => chooseAmong(candidates, pace(floor))).code).toBe('NO_POINT_HOLDS')
          return
        }
        const { choice, alternatives = [] } = chooseAmong(candidates, pace(floor))
        expect(choice.tokensPerSecondPerGpu).toBe(most)
        expect(each.find(({ name }) => name === choice.configuration)?.point.concurrency).toBe(choice.concurrency)
        expect(alternatives).toHaveLength(given.length - 1)
        const values = alternatives.flatMap(({ choice: other }) => other?.tokensPerSecondPerGpu ?? [])
        expect(values).toEqual(values.toSorted((a, b) => b - a))
        expect(values).toHaveLength(each.length - 1)
      }),
      { seed: 61, numRuns: 60 },
    )
  })

  it('no candidate has a point above the envelope, and each point of it is one of theirs', () => {
    fc.assert(
      fc.property(lines, (given) => {
        const candidates = given.map((one, i) => candidateOf(`c${i}`, evidenceOfLine(one)))
        const { frontier } = chooseAmong(candidates, { name: 'night', goal: 'throughput' })
        for (const candidate of candidates) {
          for (const point of candidate.evidenceFor().frontier) {
            const above = frontier.some(
              (other) =>
                other.tokensPerSecondPerUser >= point.tokensPerSecondPerUser &&
                (other.tokensPerSecondPerGpu ?? 0) >= (point.tokensPerSecondPerGpu ?? 0),
            )
            expect(above).toBe(true)
          }
        }
        const own = new Map(candidates.map((one) => [one.name, one.evidenceFor().frontier]))
        for (const { configuration = '', ...point } of frontier) expect(own.get(configuration)).toContainEqual(point)
        const paces = frontier.map(({ tokensPerSecondPerUser }) => tokensPerSecondPerUser)
        expect(paces).toEqual(paces.toSorted((a, b) => b - a))
      }),
      { seed: 62, numRuns: 40 },
    )
  })

  it('nor one that makes more for its money, where prices differ', () => {
    const priced = fc.array(fc.tuple(line, fc.integer({ min: 1, max: 9 })), { minLength: 2, maxLength: 4 })
    fc.assert(
      fc.property(priced, (given) => {
        fc.pre(new Set(given.map(([, price]) => price)).size > 1)
        const candidates = given.map(([one, pricePerHour], i) =>
          candidateOf(`c${i}`, evidenceOfLine(one), { pricePerHour }),
        )
        const { frontier, chosenBy } = chooseAmong(candidates, { name: 'night', goal: 'throughput' })
        expect(chosenBy?.what).toBe('money')
        const byName = new Map(candidates.map((one) => [one.name, one]))
        const worth = (name: string, output: number): number => {
          const one = byName.get(name)
          return output / ((one?.evidenceFor().gpus ?? 0) * (one?.pricePerHour ?? 0))
        }
        for (const { name, evidenceFor } of candidates) {
          for (const point of evidenceFor().frontier) {
            const above = frontier.some(
              (other) =>
                other.tokensPerSecondPerUser >= point.tokensPerSecondPerUser &&
                worth(other.configuration ?? '', other.outputTokensPerSecond) >=
                  worth(name, point.outputTokensPerSecond),
            )
            expect(above).toBe(true)
          }
        }
      }),
      { seed: 66, numRuns: 30 },
    )
  })

  it('a higher floor never makes more for a GPU, and of one candidate never has a greater load', () => {
    fc.assert(
      fc.property(lines, floors, floors, (given, one, other) => {
        const candidates = given.map((each, i) => candidateOf(`c${i}`, evidenceOfLine(each)))
        const [low, high] = [Math.min(one, other), Math.max(one, other)]
        const at = (of: typeof candidates, floor: number) => {
          try {
            return chooseAmong(of, pace(floor)).choice
          } catch {
            return undefined
          }
        }
        const [first] = candidates
        if (first === undefined) return
        expect(at([first], high)?.concurrency ?? 0).toBeLessThanOrEqual(at([first], low)?.concurrency ?? 0)
        expect(at(candidates, high)?.tokensPerSecondPerGpu ?? 0).toBeLessThanOrEqual(
          (at(candidates, low)?.tokensPerSecondPerGpu ?? 0) * (1 + 1e-9),
        )
      }),
      { seed: 63, numRuns: 40 },
    )
  })

  const fast = candidateOf('fast', evidenceOfLine({ a: 0.004, b: 0.0002 }))
  const two = (known: { fast?: number; slow?: number }) => [
    candidateOf('fast', evidenceOfLine({ a: 0.004, b: 0.0002, gpus: 1 }), {
      ...(known.fast !== undefined && { pricePerHour: known.fast }),
    }),
    candidateOf('slow', evidenceOfLine({ a: 0.006, b: 0.0003, gpus: 1 }), {
      ...(known.slow !== undefined && { pricePerHour: known.slow }),
    }),
  ]

  it('goes by money where prices differ, and says so; else by what a GPU makes', () => {
    const product = pace(50)
    expect(chooseAmong(two({}), product)).toMatchObject({
      choice: { configuration: 'fast' },
      chosenBy: { what: 'perGpu' },
    })
    const dear = chooseAmong(two({ fast: 5, slow: 1 }), product)
    expect(dear).toMatchObject({ choice: { configuration: 'slow' }, chosenBy: { what: 'money' } })
    expect(dear.chosenBy?.sentence).toContain('since their GPUs differ in price')
    // 46 in flight make 2 323 tok/s for 1 an hour.
    const { outputTokensPerSecond, perMillionOutputTokens } = dear.choice
    expect(perMillionOutputTokens).toBeCloseTo(1e6 / (3600 * outputTokensPerSecond), 9)
    const money = [dear.choice, ...(dear.alternatives ?? []).map(({ choice }) => choice)]
    expect(money[0]?.perMillionOutputTokens).toBeLessThan(money[1]?.perMillionOutputTokens ?? 0)
    const same = chooseAmong(two({ fast: 2, slow: 2 }), product)
    expect(same).toMatchObject({ choice: { configuration: 'fast' }, chosenBy: { what: 'perGpu' } })
    expect(same.chosenBy?.sentence).toContain('all GPUs cost the same')
    const half = chooseAmong(two({ slow: 1 }), product)
    expect(half).toMatchObject({ choice: { configuration: 'fast' }, chosenBy: { what: 'perGpu' } })
    expect(half.chosenBy?.sentence).toContain('not all have a price above 0')
    expect(half.choice.perMillionOutputTokens).toBeUndefined()
    expect(chooseAmong(two({ slow: 1 }), product, { gpuHour: 9 }).choice.configuration).toBe('slow')
  })

  it('tells of each other how far behind it is, or why it does not hold', () => {
    const late = candidateOf('late', evidenceOfLine({ a: 0.05, b: 0.001, gpus: 1 }))
    const large = candidateOf('large', evidenceOfLine({ a: 0.005, b: 0.0001, gpus: 1 }), {
      evidenceFor: () => {
        throw new TwospeedError('DOES_NOT_FIT', 'it does not fit: 80 GB', 'More GPUs.')
      },
    })
    const { chosenBy, alternatives = [] } = chooseAmong([...two({}), late, large], pace(50))
    expect(chosenBy?.sentence).toContain('2 do not hold it')
    expect(alternatives.map(({ configuration }) => configuration)).toEqual(['slow', 'late', 'large'])
    expect(alternatives[0]?.sentence).toMatch(/^slow makes 42 % less for the GPU: 2,\d+ tok\/s\/GPU, with 46 in flight/)
    expect(alternatives[1]?.choice).toBeUndefined()
    expect(alternatives[1]?.sentence).toContain('no load gives 50 tok/s/user')
    expect(alternatives[2]?.sentence).toBe('large: it does not fit: 80 GB.')
  })

  it('cannot compare servers whose GPUs are unknown, and names them; one alone needs none', () => {
    const error = refusal(() => chooseAmong([fast, candidateOf('other', evidenceOfLine(LESSON))], pace(50)))
    expect(error.code).toBe('MISSING_VALUE')
    expect(error.message).toContain('of fast, other the GPUs are not known')
    expect(chooseAmong([fast], pace(50)).choice.tokensPerSecondPerGpu).toBeUndefined()
  })

  it('does not set one whose wait nobody knows beside one that is known to hold the limit', () => {
    const known = candidateOf('known', evidenceOfLine({ a: 0.01, b: 0.0005, gpus: 1, ttftMs: () => 100 }))
    const unknown = candidateOf('unknown', evidenceOfLine({ a: 0.005, b: 0.0001, gpus: 1 }))
    expect(chooseAmong([known, unknown], pace(50)).choice.configuration).toBe('unknown')
    const { choice, alternatives = [] } = chooseAmong([known, unknown], pace(50, 200))
    expect(choice.configuration).toBe('known')
    expect(alternatives[0]?.sentence).toBe(
      'unknown: its wait for the first token is not known, and others hold 200 ms.',
    )
    // Where none that is known holds it, nothing is said against the other but that it was not judged.
    const left = chooseAmong([known, unknown], pace(50, 50))
    expect(left.choice.configuration).toBe('unknown')
    expect(left.reason).toContain('was not judged')
  })

  it('takes a lower load of a server whose throughput falls before the greatest, where it is compared', () => {
    const rows = [
      { concurrency: 16, outputTokensPerSecond: 1600 },
      { concurrency: 64, outputTokensPerSecond: 3200 },
      { concurrency: 128, outputTokensPerSecond: 2600 },
    ]
    const falling = candidateOf('falling', evidenceOfRows(rows, { gpus: 1 }))
    const steady = candidateOf('steady', evidenceOfLine({ a: 0.01, b: 0.00033, gpus: 1, loads: [16, 64, 128] }))
    expect(chooseAmong([falling], pace(20)).choice.concurrency).toBe(128)
    const among = chooseAmong([falling, steady], pace(20))
    expect(among.choice).toMatchObject({ configuration: 'falling', concurrency: 64, outputTokensPerSecond: 3200 })
    expect(among.bindingConstraint).toBe('throughput')
    expect(among.neighbours.map(({ concurrency }) => concurrency)).toEqual([16, 128])
  })
})

describe('strict', () => {
  const lesson = candidateOf('lesson', evidenceOfLine({ ...LESSON, gpus: 1 }))

  it('refuses a point outside what was measured, and says which measured load holds', () => {
    expect(chooseAmong([lesson], pace(20)).choice).toMatchObject({ concurrency: 180, source: 'extrapolated' })
    const error = refusal(() => chooseAmong([lesson], pace(20), { strict: true }))
    expect(error.code).toBe('NO_POINT_HOLDS')
    expect(error.message).toBe('--strict: the choice is 180 in flight, and measured was 20 to 80')
    expect(error.hint).toContain('The greatest load measured that holds it is 80, at 40 tok/s/user.')
  })

  it('lets a point inside stand, and takes another candidate before one outside', () => {
    expect(chooseAmong([lesson], pace(50), { strict: true }).choice.concurrency).toBe(60)
    const wide = candidateOf('wide', evidenceOfLine({ a: 0.006, b: 0.0003, gpus: 1, loads: [8, 64, 256] }))
    expect(chooseAmong([lesson, wide], pace(20)).choice.configuration).toBe('lesson')
    expect(chooseAmong([lesson, wide], pace(20), { strict: true }).choice.configuration).toBe('wide')
  })

  it.each(['newShape', 'uncalibrated'] as const)('refuses what stands on %s', (standing) => {
    const foretold = candidateOf('foretold', { ...evidenceOfLine({ ...LESSON, gpus: 1 }), standing })
    expect(chooseAmong([foretold], pace(50)).confidence?.class).toBe(standing)
    expect(refusal(() => chooseAmong([foretold], pace(50), { strict: true })).message).toContain('--strict')
  })
})
