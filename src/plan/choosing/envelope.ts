import type { FrontierPoint } from '../../core/index.ts'
import type { Held } from './tried.ts'
import type { Yardstick } from './yardstick.ts'

/**
 * Of the points of all candidates those that none is better than in both speeds, from the fastest for a user to the most for the GPU (or for the
 * money):
 *
 *     per GPU │      · ·      b
 *             │  a a     · b
 *             │      a a   ·  · b
 *             └────────────────── pace
 */
export function envelopeOf(
  given: readonly Pick<Held, 'candidate' | 'evidence'>[],
  yardstick: Yardstick,
): readonly FrontierPoint[] {
  const all = given.flatMap(({ candidate, evidence }) =>
    evidence.frontier.map((point) => ({
      point: { ...point, configuration: candidate.name },
      value: yardstick.worth(candidate, evidence, point.outputTokensPerSecond),
    })),
  )
  const byPace = all.toSorted(
    (a, b) => b.point.tokensPerSecondPerUser - a.point.tokensPerSecondPerUser || b.value - a.value,
  )
  const kept: FrontierPoint[] = []
  let most = 0
  for (const { point, value } of byPace) {
    if (value <= most) continue
    kept.push(point)
    most = value
  }
  return kept
}
