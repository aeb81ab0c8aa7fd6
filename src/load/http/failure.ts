import type { ErrorKind } from '../../core/index.ts'
import type { Ending } from '../../wire/index.ts'

/** A connection that could not be made. */
export class ConnectFailure extends Error {
  readonly kind: ErrorKind & ('connect' | 'tls')
  constructor(cause: Error, isSecure: boolean) {
    super(describe(cause))
    this.name = 'ConnectFailure'
    this.kind = isSecure && isTls(cause) ? 'tls' : 'connect'
  }
}

/** How the message begins where what came back was not HTTP. */
export const NOT_HTTP = 'It is no HTTP/1.1 answer.'

interface SystemError extends Error {
  readonly code?: string
  readonly syscall?: string
  readonly errors?: readonly Error[]
}

/** Node's names for what a certificate can lack, and those of a handshake that went wrong. */
const TLS_CODE =
  /^(ERR_SSL|ERR_TLS|EPROTO|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|ERROR_IN_CERT_|ERR_OSSL)/

/** Before a connection stands, a read or a write that fails is one of the handshake. */
function isTls({ code = '', syscall, message }: SystemError): boolean {
  if (TLS_CODE.test(code)) return true
  return syscall === 'read' || syscall === 'write' || message.includes('before secure TLS connection')
}

/** Several addresses tried give one error without a text of its own. */
function describe(error: SystemError): string {
  return error.message || (error.errors ?? []).map((one) => one.message).join('; ') || error.code || error.name
}

/** How a connection that had been made came to its end. */
export function endingOf({ code = '' }: SystemError): Ending {
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'ECONNABORTED' ? 'reset' : 'closed'
}
