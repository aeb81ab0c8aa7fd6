import type { RequestFault } from '../../core/index.ts'
import { createClock } from '../clock.ts'
import { createConnection } from './connection.ts'
import { ConnectFailure, endingOf } from './failure.ts'
import { headOf } from './request-head.ts'
import type { Transport } from './transport.ts'

export interface GetTextTask {
  readonly transport: Transport
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export type GotText =
  | { readonly ok: true; readonly status: number; readonly text: string }
  | { readonly ok: false; readonly fault: RequestFault }

/** One small answer, whole, over a connection of its own. Rejects with the signal's reason when it aborts. */
export function getText({ transport, path, headers, timeoutMs, signal }: GetTextTask): Promise<GotText> {
  const head = headOf(`GET ${transport.pathPrefix}${path} HTTP/1.1`, {
    ...transport.fields,
    'accept-encoding': 'identity',
    ...headers,
  })
  const connection = createConnection({ transport, clock: createClock(), habit: { hangsUp: false }, onRead: () => {} })
  const decoder = new TextDecoder()
  let status = 0
  let text = ''
  let timer: NodeJS.Timeout | undefined
  let abort = (): void => {}
  const answer = new Promise<GotText>((resolve, reject) => {
    const fail = (kind: RequestFault['kind'], message: string): void => resolve({ ok: false, fault: { kind, message } })
    timer = setTimeout(() => fail('timeout', `No answer came within ${timeoutMs / 1e3} s.`), timeoutMs)
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
    if (signal.aborted) return abort()
    connection.send(`${head}\r\n`, '', {
      onSent: () => {},
      onHead(received) {
        status = received.status
      },
      onBody(bytes, from, end) {
        text += decoder.decode(bytes.subarray(from, end), { stream: true })
      },
      onEnd: () => resolve({ ok: true, status, text }),
      onFail(error) {
        const ending = endingOf(error) === 'reset' ? 'reset' : 'truncated'
        fail(error instanceof ConnectFailure ? error.kind : ending, error.message)
      },
    })
  })
  return answer.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    connection.abort()
  })
}
