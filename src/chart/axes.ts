import { figure } from '../core/index.ts'
import { FRAME, type Scales } from './scales.ts'
import { element } from './svg.ts'

/** Grid, ticks and the two names. */
export function axes({ x, y }: Scales, per: string): string {
  const { left, right, top, bottom } = FRAME
  const columns = x
    .ticks(7)
    .map((value) =>
      [
        element('line', { class: 'grid', x1: x(value), x2: x(value), y1: top, y2: bottom }),
        element('text', { class: 'tick', x: x(value), y: bottom + 18, 'text-anchor': 'middle' }, figure(value)),
      ].join(''),
    )
  const rows = y
    .ticks(6)
    .map((value) =>
      [
        element('line', { class: 'grid', x1: left, x2: right, y1: y(value), y2: y(value) }),
        element('text', { class: 'tick', x: left - 8, y: y(value) + 4, 'text-anchor': 'end' }, figure(value)),
      ].join(''),
    )
  return element(
    'g',
    {},
    ...columns,
    ...rows,
    element(
      'text',
      { class: 'axis', x: right, y: bottom + 40, 'text-anchor': 'end' },
      'tok/s per user: how fast one stream runs →',
    ),
    element('text', { class: 'axis', x: 14, y: 20 }, `↑ tok/s per ${per}: what all streams make together`),
  )
}
