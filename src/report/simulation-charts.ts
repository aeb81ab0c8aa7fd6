import { overTimeSvg } from '../chart/index.ts'
import type { Run } from '../core/index.ts'
import { loadOf } from './load.ts'
import { type Content, html, trusted } from './markup.ts'
import { orderOf } from './points-table.ts'

/** Queue and KV cache of each load over its window; of repeats the first. */
export function overTime(run: Run): Content {
  return orderOf(run).map((index) => {
    const point = run.points[index]
    const { series = [] } = point?.simulation ?? {}
    if (point === undefined || (point.repeat ?? 0) > 0 || series.length < 2) return undefined
    const { startS } = point.window
    const title = `Load ${loadOf({ load: point.load })}: requests and KV cache over time`
    const points = series.map((instant) => ({ ...instant, atS: instant.atS - startS }))
    return html`<details><summary>Load ${loadOf({ load: point.load })} <span>· queue and KV cache over time</span></summary><figure><div class="scroll" role="region" aria-label="${title}" tabindex="0">${trusted(overTimeSvg({ title, points }))}</div></figure></details>`
  })
}
