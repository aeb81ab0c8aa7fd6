import { type LimitCause, type PlanBinding, percent } from '../core/index.ts'
import { PREFILL_SHARE } from '../model/index.ts'
import type { Evidence } from './evidence.ts'

/** Why no more are at once, for a person: what stands after a colon. */
export function limitWords(by: LimitCause): string {
  return {
    kv: 'the memory holds no more such requests',
    engine: 'the engine decodes no more',
    prefill: `those that read prompts are then busy for ${percent(PREFILL_SHARE)} of the time`,
    link: `the link that carries the cache of prompts on is then busy for ${percent(PREFILL_SHARE)} of the time`,
  }[by]
}

/** What requests beyond that meet: what stands after `beyond that`. */
export function beyondWords(by: LimitCause | undefined): string {
  const longer = `busy for more than ${percent(PREFILL_SHARE)} of the time, so that first tokens wait longer and longer`
  return {
    kv: 'requests wait for a place first: the memory holds no more',
    engine: 'requests wait for a place first: the server decodes no more at once',
    prefill: `those that read prompts are ${longer}`,
    link: `the link that carries the cache of prompts on is ${longer}`,
  }[by ?? 'engine']
}

/** Of a load that is foretold and that the server itself ends. */
export function limitedBy({ curve }: Evidence, binding: PlanBinding): { readonly limitedBy?: LimitCause } {
  const by = binding === 'serverLimit' ? curve.fitted.limit?.by : undefined
  return by === undefined ? {} : { limitedBy: by }
}
