import type { RequestRecord } from '../../core/index.ts'
import type { Client } from '../http/client.ts'

/** An unmeasured request, ended. */
export interface Probed {
  readonly record: RequestRecord
  /** It was cut off: far more came than was asked for. */
  readonly isEndless: boolean
}

export interface ProbeTask {
  readonly client: Pick<Client, 'send' | 'counters'>
  /** Rejects the probe with its reason. */
  readonly signal: AbortSignal
  readonly idPrefix: string
}

/** How often is looked how much has come. */
const LOOK_MS = 20

/** Sends unmeasured requests, one after the other, and reads of each answer no more than so many events that bear a token. */
export function createProbe({ client, signal, idPrefix }: ProbeTask) {
  let probes = 0
  return (body: string, mostEvents: number): Promise<Probed> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const before = client.counters().events
      const isPast = (): boolean => client.counters().events - before > mostEvents
      let isEndless = false
      const cancel = client.send({ id: `${idPrefix}-preflight-${++probes}`, point: -1, body }, (record) => {
        clearInterval(look)
        signal.removeEventListener('abort', cancel)
        if (signal.aborted) reject(signal.reason)
        else resolve({ record, isEndless })
      })
      const look = setInterval(() => {
        isEndless = isPast()
        if (isEndless) cancel()
      }, LOOK_MS)
      signal.addEventListener('abort', cancel, { once: true })
    })
}
