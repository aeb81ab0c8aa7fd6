import type { RequestRecord } from '../../src/core/index.ts'
import { createNoise } from './noise.ts'
import { recordOf } from './records.ts'

/**
 * A closed loop of so many users against a server whose speed at time t is `speed(t)` of its usual 50 tok/s/user; every answer is some 3 %
 * faster or slower than that, and every gap some 10 %. Answers of 40 tokens take about 0.9 s. From 0 to `untilS`.
 */
export function noisyLoop({
  users = 4,
  untilS = 40,
  seed,
  speed = () => 1,
}: {
  readonly users?: number
  readonly untilS?: number
  readonly seed: number | string
  readonly speed?: (atS: number) => number
}): RequestRecord[] {
  const noise = createNoise(seed)
  const factor = (size: number): number => Math.max(0.3, 1 + size * noise())
  return Array.from({ length: users }, (_, user) => {
    const records: RequestRecord[] = []
    let atUs = Math.round((user * 900_000) / users)
    while (atUs < untilS * 1e6) {
      const of = factor(0.03)
      const sentUs = atUs
      const ttftUs = Math.round((100_000 * factor(0.1)) / speed(atUs / 1e6))
      atUs += ttftUs
      const gapsUs = Array.from({ length: 39 }, () => {
        const gapUs = Math.round((20_000 * of * factor(0.1)) / speed(atUs / 1e6))
        atUs += gapUs
        return gapUs
      })
      records.push(recordOf({ id: `${user}-${records.length}`, sentUs, ttftUs, gapsUs }))
    }
    return records
  }).flat()
}
