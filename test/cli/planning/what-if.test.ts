import { describe, expect, it } from 'vitest'
import { chooseCommand } from '../../../src/cli/planning/choose.ts'
import { planCommand } from '../../../src/cli/planning/plan.ts'
import { changed, whatIfOf } from '../../../src/cli/planning/what-if.ts'
import { type Choice, TwospeedError } from '../../../src/core/index.ts'

const base = { paths: ['a.csv'], flags: { arrivals: 12, floor: 50, strict: true as const } as Record<string, unknown> }

const changes = (...texts: string[]): ReturnType<typeof changed<Record<string, unknown>>> =>
  changed(texts, base, planCommand)

describe('a change', () => {
  it('is read as the flag itself is, and leaves the question as it was', () => {
    const [one] = changes('arrivals=24/s; floor = 40;ttft=500ms')
    expect(one).toEqual({ paths: ['a.csv'], flags: { arrivals: 24, floor: 40, ttft: 0.5, strict: true } })
    expect(base.flags).toEqual({ arrivals: 12, floor: 50, strict: true })
  })

  it('may leave a flag out, set one without a value, name several products, or other evidence', () => {
    expect(changes('arrivals=;users=500;strict=')[0]?.flags).toEqual({ floor: 50, users: 500 })
    expect(changes('--strict')[0]?.flags).toEqual(base.flags)
    expect(changes('product=chat')[0]?.flags).toMatchObject({ product: ['chat'] })
    expect(changes('evidence=b.csv, runs/c')[0]?.paths).toEqual(['b.csv', 'runs/c'])
  })

  it('has a value that may hold an equals sign', () => {
    expect(changes('law=a=5ms,b=1ms')[0]?.flags).toMatchObject({ law: 'a=5ms,b=1ms' })
  })

  it('that is none is told with one that is a change of the command', () => {
    const hintOf = (create: typeof planCommand): unknown => {
      try {
        return changed(['wrong=1'], base, create)
      } catch (error) {
        return error instanceof TwospeedError ? error.hint : error
      }
    }
    for (const create of [planCommand, chooseCommand]) {
      const [, example = ''] = /--what-if '([^']+)'/.exec(String(hintOf(create))) ?? []
      expect(changed([example], base, create)).toHaveLength(1)
    }
    expect(() => changed(['arrivals=24/s'], base, chooseCommand)).toThrow('no such flag')
  })

  it('is refused with everything that is wrong, in all changes', () => {
    const read = (): unknown => changes('arrivals=24; flor=3', 'json', 'strict=yes', ' ; ', 'floor')
    for (const problem of ['arrivals=24": It takes a rate', 'flor=3": the command has no such', 'json": the command']) {
      expect(read).toThrow(problem)
    }
    expect(read).toThrow(/strict=yes": the flag takes no value; " ; " changes nothing; "floor": it lacks/)
  })
})

describe('its answer', () => {
  const answer = (concurrency: number, more: object = {}): Choice =>
    ({ choice: { concurrency }, reason: `${concurrency}`, frontier: [concurrency], ...more }) as unknown as Choice

  it('tells the figures and words that are others, not prose or lists', async () => {
    const { differences } = await whatIfOf('x', answer(60, { gpus: 4, a: 1 }), async () =>
      answer(80, { gpus: 4, b: 'y' }),
    )
    expect(differences).toEqual([
      { key: 'choice.concurrency', from: 60, to: 80 },
      { key: 'a', from: 1 },
      { key: 'b', to: 'y' },
    ])
    expect((await whatIfOf('x', answer(60), async () => answer(60))).differences).toEqual([])
  })

  it('is in its place why there is none; a bug of ours is none of it', async () => {
    const refused = await whatIfOf('floor=900', answer(60), async () => {
      throw new TwospeedError('NO_POINT_HOLDS', 'none', 'less')
    })
    expect(refused).toEqual({ change: 'floor=900', error: { code: 'NO_POINT_HOLDS', message: 'none', hint: 'less' } })
    const bug = whatIfOf('x', answer(60), async () => {
      throw new RangeError('bug')
    })
    await expect(bug).rejects.toThrow('bug')
  })
})
