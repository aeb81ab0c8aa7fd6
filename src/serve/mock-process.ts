/** The mock of `twospeed calibrate` as a process of its own: it does what its parent says over the channel between them, and ends with it. */
import { startPaceMock } from './mock.ts'

type Order = { readonly kind: 'pace'; readonly gapMs: number } | { readonly kind: 'truth' }

const mock = await startPaceMock()
process.on('disconnect', () => process.exit())
process.on('message', (order: Order) => {
  if (order.kind === 'pace') mock.pace(order.gapMs)
  process.send?.(order.kind === 'pace' ? {} : mock.truth())
})
process.send?.({ origin: `http://127.0.0.1:${mock.port}` })
