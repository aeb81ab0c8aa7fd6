import { createRandom } from '../../core/index.ts'

/**
 * Whole rows by chance, and of each hand just their share: in a fleet who comes goes to where fewest are in flight, so that a slice has its share
 * of what comes at any time, whoever that is (selection sampling, after Knuth, "The Art of Computer Programming", 3.4.2).
 *
 *     half, hands of two   ▓░ ░▓ ░▓ ▓░ ░▓
 */
export function dealt<T>(rows: readonly T[], share: number, seed: string): readonly T[] {
  if (share >= 1) return rows
  const random = createRandom(seed)
  const hand = Math.ceil(1 / share)
  const kept: T[] = []
  for (const [i, row] of rows.entries()) {
    const end = Math.min(rows.length, hand * (Math.floor(i / hand) + 1))
    if (random.next() * (end - i) < Math.round(share * end) - kept.length) kept.push(row)
  }
  return kept
}
