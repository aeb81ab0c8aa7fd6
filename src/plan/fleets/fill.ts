import { type BatchFill, type Plan, TwospeedError } from '../../core/index.ts'
import { unlessRefused } from '../choosing/tried.ts'
import { dayOf, troughOf } from '../day/index.ts'
import { demandOf } from '../demand.ts'
import type { Evidence } from '../evidence.ts'
import { plan } from '../plan.ts'
import { replicaOf, replicasOf } from '../replica.ts'
import type { AskedProduct } from './asked.ts'
import { filled } from './filled.ts'
import { splitFillOf } from './split-fill.ts'
import type { Way } from './way.ts'

/** Where nothing says how the day goes, as much comes at night. */
const DAY_S = 86_400

/** What of a batch goes into one of these fleets, the one that takes most of it, in place of one of its `own`; undefined where it goes into none. */
export function fillOf(pools: readonly Way[], batch: AskedProduct, own: Plan): BatchFill | undefined {
  const fills = pools.flatMap(
    (pool) =>
      (pool.split === undefined ? fillIn(pool, batch, own) : splitFillOf(pool.plan, pool.split, batch, own)) ?? [],
  )
  const [first, ...others] = fills
  return first && others.reduce((a, b) => (b.tokensPerSecond > a.tokensPerSecond ? b : a), first)
}

function fillIn(
  { plan: interactive, candidate }: Way,
  { product, demand }: AskedProduct,
  own: Plan,
): BatchFill | undefined {
  const { inputTokens, outputTokens } = interactive
  const evidence = candidate.evidenceFor({
    output: outputTokens,
    ...(inputTokens !== undefined && { input: inputTokens }),
  })
  const asked = demandOf(product, demand)
  const batch = unlessRefused(() => {
    const alone = candidate.evidenceFor({
      output: asked.outputTokens,
      ...(asked.inputTokens !== undefined && { input: asked.inputTokens }),
    })
    return { evidence: alone, plan: plan(alone, product, demand) }
  })
  if (batch instanceof TwospeedError) return undefined
  const trough = troughOf({ plan: withDay(interactive, evidence), evidence }, batch, own)
  return trough && filled(interactive, trough)
}

/** A plan of which no day is known has the same all day. */
function withDay(interactive: Plan, evidence: Evidence): Plan {
  const { day, arrivalsPerSecond = 0, outputTokens, choice } = interactive
  if (day !== undefined) return interactive
  const replica = replicaOf(evidence, outputTokens)
  const chosen = replica.at(choice.concurrency / replicasOf(evidence))
  if (chosen === undefined) return interactive
  const points = [0, DAY_S].map((atS) => ({ atS, rate: arrivalsPerSecond }))
  return { ...interactive, day: dayOf({ kind: 'curve', points }, { chosen }, { outputTokens }) }
}
