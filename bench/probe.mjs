/**
 * The bare yardsticks: what any client on this machine must pay. They look for event boundaries only and count, so that the mock's
 * plan (a role chunk, then N tokens, then finish, usage and [DONE]) says which arrival is which token. Neither could measure a server
 * that it does not know: they parse nothing, notice no error and stop at nothing.
 */
import net from 'node:net'
import { Client } from 'undici'

const LF = 10

/** One answer under way: when it was sent, how many events came, whether a read ended in the middle of a blank line, and the arrivals. */
function createTally(id, tokens, keepTimes) {
  const times = keepTimes ? new Float64Array(tokens) : undefined
  return { id, sentMs: 0, tokens, events: 0, openLine: false, times }
}

/** Counts the blank lines that one read completes. */
function scan(tally, bytes, now) {
  let at = tally.openLine && bytes[0] === LF ? 0 : bytes.indexOf(LF) + 1
  for (; at > 0 || (at === 0 && tally.openLine); at = bytes.indexOf(LF, at) + 1) {
    tally.openLine = false
    if (bytes[at] !== LF) continue
    const token = tally.events++ - 1
    if (tally.times !== undefined && token >= 0 && token < tally.tokens) tally.times[token] = now
    at++
  }
  tally.openLine = bytes[bytes.length - 1] === LF && bytes[bytes.length - 2] !== LF
}

function toRecord(tally, endMs) {
  const us = tally.times === undefined ? [] : Array.from(tally.times, (ms) => Math.round(ms * 1000))
  return {
    id: tally.id,
    sentS: tally.sentMs / 1000,
    firstTokenS: us.length === 0 ? undefined : us[0] / 1e6,
    endS: endMs / 1000,
    outcome: tally.events === tally.tokens + 4 ? 'ok' : 'failed',
    outputTokens: Math.max(0, tally.events - 4),
    gapsUs: us.slice(1).map((at, i) => at - us[i]),
  }
}

/** undici: one Client, so one socket, a stream; its HTTP parser unwraps the chunks. */
function createUndiciProbe(url, body, keepTimes) {
  const client = new Client(url, { pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
  return {
    send(id, tokens, onEnd) {
      const tally = createTally(id, tokens, keepTimes)
      const headers = { 'content-type': 'application/json', 'x-request-id': id }
      client.dispatch(
        { method: 'POST', path: '/v1/chat/completions', headers, body },
        {
          onConnect() {
            tally.sentMs = performance.now()
          },
          onHeaders: () => true,
          onData(bytes) {
            scan(tally, bytes, performance.now())
            return true
          },
          onComplete: () => onEnd(toRecord(tally, performance.now())),
          onError(error) {
            throw error
          },
        },
      )
    },
  }
}

const CHUNKED_END = Buffer.from('\r\n0\r\n\r\n')

/** A plain socket: no HTTP parser at all; the end is the last chunk's five bytes at the end of a read. */
function createSocketProbe(url, body, keepTimes) {
  const { hostname, port } = new URL(url)
  const socket = net.connect({ host: hostname, port: Number(port), noDelay: true })
  let tally
  let onEnd
  socket.on('error', (error) => {
    throw error
  })
  socket.on('data', (bytes) => {
    const now = performance.now()
    scan(tally, bytes, now)
    const n = bytes.length
    if (bytes[n - 1] === LF && bytes[n - 5] === 48 && bytes.subarray(n - CHUNKED_END.length).equals(CHUNKED_END)) {
      onEnd(toRecord(tally, now))
    }
  })
  return {
    send(id, tokens, end) {
      tally = createTally(id, tokens, keepTimes)
      onEnd = end
      tally.sentMs = performance.now()
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\nx-request-id: ${id}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
    },
  }
}

/** performance.now() at 0 as a nanosecond of the clock that the mock stamps with; the tightest of a hundred readings. */
function monotonicOriginNs() {
  let best = { spread: Number.POSITIVE_INFINITY, originNs: 0 }
  for (let i = 0; i < 100; i++) {
    const before = performance.now()
    const ns = Number(process.hrtime.bigint())
    const after = performance.now()
    if (after - before < best.spread) best = { spread: after - before, originNs: ns - ((before + after) / 2) * 1e6 }
  }
  return best.originNs
}

/** A probe a stream, all alike. */
export function createProbes({ kind, url, streams, flood }, body) {
  const create = kind === 'socket' ? createSocketProbe : createUndiciProbe
  const probes = Array.from({ length: Number(streams) }, () => create(url, body, !flood))
  return {
    originNs: monotonicOriginNs,
    nowMs: () => performance.now(),
    send: (stream, id, tokens, onEnd) => probes[stream].send(id, tokens, onEnd),
  }
}
