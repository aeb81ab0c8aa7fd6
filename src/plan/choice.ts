import type { Binding as AnyBinding } from '../core/index.ts'

export type { Choice, ChosenPoint } from '../core/index.ts'

/** Of what was measured already, nothing can be said of loads where requests fail or where the client tires. */
export type Binding = Exclude<AnyBinding, 'failures' | 'clientLimit'>
