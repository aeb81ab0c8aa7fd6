import { type CacheEffect, type CacheWay, figure, type Product, percent, portion } from '../../core/index.ts'
import { lasting, servers } from '../plan-words.ts'
import { askedOf } from '../reason.ts'

/** What of the prompts comes again, how much of it each way need not read, what that does to the wait, and how many replicas each takes. */
export function cacheSentence(
  { rows, replicas, playedOn, share, repeatedShare, promptsCost, ways }: Omit<CacheEffect, 'sentence'>,
  product: Product,
  isPart: boolean,
): string {
  const [none, inTurn, byBeginning] = ways
  if (none === undefined || inTurn === undefined || byBeginning === undefined) return ''
  const of = `the ${isPart ? 'first ' : ''}${figure(rows)} requests of ${playedOn === replicas ? 'the trace' : 'a slice of the trace'}`
  const on = playedOn === replicas ? servers(replicas) : `${figure(playedOn)} of ${servers(replicas)}`
  const asked = askedOf(product)
  return [
    `Simulated, ${of} on ${on}: ${percent(repeatedShare)} of their prompt tokens have been there before.`,
    `Without a cache of beginnings ${seen(none)}, and ${portion(none.attainment)} have ${asked}.`,
    `With one in each replica and requests in turn ${percent(inTurn.cachedShare)} need not be read: ${seen(inTurn)}, and ${portion(inTurn.attainment)} have it.`,
    `With each request sent to where most of its beginning is it is ${percent(byBeginning.cachedShare)}: ${seen(byBeginning)}, and ${portion(byBeginning.attainment)}.`,
    `That ${portion(share)} have it${product.share === undefined ? ' (no share was asked for: this one is ours)' : ''} takes ${needed(none)}, ${needed(inTurn)} and ${needed(byBeginning)}.`,
    ...(promptsCost
      ? []
      : [
          'What reading a prompt costs is not known here and taken for nothing, so that a cache seems to be worth less than it is.',
        ]),
  ].join(' ')
}

const seen = ({ ttftMs: { p50, p99 } }: CacheWay): string =>
  `the first token comes after ${lasting(p50 / 1000)} (median) and ${lasting(p99 / 1000)} (99 % wait no longer)`

const needed = ({ replicas }: CacheWay): string => (replicas === undefined ? 'more than were tried' : servers(replicas))
