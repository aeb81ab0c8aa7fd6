/**
 * A wire between client and llama-server that reads along: of each answer it keeps the server's own `timings`, by the request id that the
 * client sent. Bytes pass on as they come.
 */
import { connect, createServer, type Socket } from 'node:net'

/** As llama-server gives them in the last chunk; `predicted_ms` runs from the end of the prompt to the last token. */
export interface Timings {
  readonly prompt_n: number
  readonly prompt_ms: number
  readonly predicted_n: number
  readonly predicted_ms: number
}

export interface Relay {
  readonly url: string
  readonly timings: ReadonlyMap<string, Timings>
  close(): void
}

/** Of an answer, so much is kept to find the timings in, wherever the reads cut them. */
const TAIL = 4096

export async function openRelay(target: { readonly host: string; readonly port: number }): Promise<Relay> {
  const timings = new Map<string, Timings>()
  const sockets = new Set<Socket>()

  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ ...target, noDelay: true })
    let id: string | undefined
    let tail = ''
    client.on('data', (bytes) => {
      id = /\r\nx-request-id: *(\S+)/i.exec(bytes.toString('latin1'))?.[1] ?? id
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      client.write(bytes)
      tail = (tail + bytes.toString('latin1')).slice(-TAIL)
      const found = /"timings":(\{[^}]*\})/.exec(tail)?.[1]
      if (found === undefined) return
      if (id !== undefined) timings.set(id, JSON.parse(found) as Timings)
      tail = ''
    })
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.end() // what it was given before still goes out
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the relay has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    timings,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
