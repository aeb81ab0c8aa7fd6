import { describe, expect, it } from 'vitest'
import { createVigil } from '../../../src/load/http/vigil.ts'

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}

describe('a vigil', () => {
  it('lasts while requests are on their way, and its rests are idle time', async () => {
    let active = 1
    const vigil = createVigil(
      () => active,
      () => true,
    )
    vigil.onSend()
    await turns(20)
    const some = vigil.idleMs()
    await turns(20)
    expect(some).toBeGreaterThan(0)
    expect(vigil.idleMs()).toBeGreaterThan(some)
    active = 0
    await turns(2)
    const last = vigil.idleMs()
    await turns(20)
    expect(vigil.idleMs()).toBe(last)
  })

  it('does not count a turn that read', async () => {
    const vigil = createVigil(
      () => 1,
      () => true,
    )
    vigil.onSend()
    vigil.onRead()
    await turns(1)
    expect(vigil.idleMs()).toBe(0)
    await turns(2)
    expect(vigil.idleMs()).toBeGreaterThan(0)
  })

  it('is not kept where no core is spare', async () => {
    let asked = 0
    const vigil = createVigil(
      () => 1,
      () => {
        asked++
        return false
      },
    )
    vigil.onSend()
    await turns(20)
    vigil.onSend()
    await turns(20)
    expect(vigil.idleMs()).toBe(0)
    expect(asked).toBe(1)
  })
})
