#!/usr/bin/env node
// Replays wire cases byte for byte, at absolute times from each request's arrival.
//
//   node replay-server.mjs --port 0 wire/            prints: listening http://127.0.0.1:PORT
//   base URL of a case: http://127.0.0.1:PORT/<ID>/v1
//   GET /hits           {"W101": {"requests": 1, "lateMs": 0.2}, ...}: requests so far, and how late the last replay ran
//
// Tests: const server = await startReplayServer(['wire']); server.url; server.hits.get('W101').requests; await server.close()

import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { constants, createGzip } from 'node:zlib'

const ENDINGS = ['end', 'reset', 'close', 'hang']

// A chunk's bytes: "text", or "hex", or "parts" (strings and {repeat, times}, so that a huge event stays a short file).
function bytesOf(chunk) {
  if (chunk.hex !== undefined) return Buffer.from(chunk.hex.replaceAll(' ', ''), 'hex')
  if (chunk.text !== undefined) return Buffer.from(chunk.text)
  return Buffer.from(chunk.parts.map((p) => (typeof p === 'string' ? p : p.repeat.repeat(p.times))).join(''))
}

// Compress once, when loading: one sync-flushed piece per chunk, so that each event can be decoded as soon as it arrives.
async function gzipPieces(pieces) {
  const gzip = createGzip()
  let out = []
  gzip.on('data', (b) => out.push(b))
  const take = () => {
    const b = Buffer.concat(out)
    out = []
    return b
  }
  const zipped = []
  for (const piece of pieces) {
    gzip.write(piece)
    await new Promise((done) => gzip.flush(constants.Z_SYNC_FLUSH, done))
    zipped.push(take())
  }
  await new Promise((done) => gzip.on('end', done).end())
  return { zipped, trailer: take() }
}

async function load(dirs) {
  const cases = new Map()
  for (const dir of dirs) {
    const files = readdirSync(dir, { recursive: true })
      .map(String)
      .filter((f) => f.endsWith('case.json'))
      .sort()
    for (const file of files) {
      const spec = JSON.parse(readFileSync(join(dir, file), 'utf8'))
      if (spec.kind !== 'wire') continue
      if (cases.has(spec.id)) throw new Error(`two cases are called ${spec.id}`)
      if (!ENDINGS.includes(spec.end)) throw new Error(`${spec.id}: unknown end "${spec.end}"`)
      let pieces = spec.chunks.map(bytesOf)
      let trailer = Buffer.alloc(0)
      if (spec.http.gzip) ({ zipped: pieces, trailer } = await gzipPieces(pieces))
      const steps = spec.chunks.map((chunk, i) => ({ atMs: chunk.atMs, bytes: pieces[i] }))
      cases.set(spec.id, { ...spec, steps, trailer })
    }
  }
  return cases
}

// What a request after the first gets from a case with "repeat": false, so that a silent retry shows up as a success.
const event = (delta, rest) =>
  `data: ${JSON.stringify({ id: 'ok', model: 'wire-model', choices: [{ index: 0, delta, ...rest }] })}\n\n`
const HEALTHY = {
  http: { status: 200, headers: { 'content-type': 'text/event-stream' }, framing: 'chunked' },
  steps: [
    { atMs: 5, bytes: Buffer.from(event({ role: 'assistant', content: 'fine' })) },
    { atMs: 10, bytes: Buffer.from(`${event({}, { finish_reason: 'stop' })}data: [DONE]\n\n`) },
  ],
  trailer: Buffer.alloc(0),
  end: 'end',
}

const spin = (untilMs) => {
  while (performance.now() < untilMs);
}

function replay(spec, res, t0, hit) {
  const { status, headers = {}, framing = 'chunked', atMs: headersAt = 0, gzip } = spec.http
  const socket = res.socket
  res.on('error', () => {})

  const sendHead = () => {
    if (res.headersSent) return
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    if (gzip) res.setHeader('content-encoding', 'gzip')
    if (framing === 'close') res.removeHeader('transfer-encoding') // no length, no chunks: the body ends with the connection
    if (framing === 'length' && !res.hasHeader('content-length')) {
      res.setHeader(
        'content-length',
        spec.steps.reduce((n, s) => n + s.bytes.length, spec.trailer.length),
      )
    }
    res.strictContentLength = false // a case may promise more bytes than it sends
    res.writeHead(status)
    res.flushHeaders()
  }
  const finish = {
    end: () => (sendHead(), res.end(spec.trailer)),
    reset: () => socket.resetAndDestroy(),
    close: () => socket.end(), // FIN; a chunked body stays unfinished
    hang: () => {},
  }

  // The script of this reply, in order; null: the headers never come.
  const last = spec.steps.at(-1)?.atMs ?? 0
  const script = spec.steps.map((step) => ({ atMs: step.atMs, act: () => (sendHead(), res.write(step.bytes)) }))
  if (headersAt !== null) script.unshift({ atMs: headersAt, act: sendHead })
  script.push({ atMs: Math.max(spec.endAtMs ?? last, last), act: finish[spec.end] })

  // Timers are a millisecond or so off: sleep a little less, spin the rest, and note how late it was all the same. One timer at a
  // time, each set by the one before, so that nothing can overtake.
  let timer
  const next = (i) => {
    if (i === script.length) return
    const due = t0 + script[i].atMs
    const fire = () => {
      spin(due)
      script[i].act()
      hit.lateMs = Math.max(hit.lateMs, performance.now() - due)
      next(i + 1)
    }
    const wait = due - performance.now() - 1.5
    if (wait > 0) timer = setTimeout(fire, wait)
    else fire()
  }
  res.on('close', () => clearTimeout(timer))
  next(0)
}

export async function startReplayServer(dirs, { port = 0, host = '127.0.0.1' } = {}) {
  const cases = await load(dirs)
  const hits = new Map() // by case: how many requests its endpoint got (a silent retry shows here), how late the last replay was

  const server = createServer((req, res) => {
    const t0 = performance.now()
    req.resume()
    req.socket.setNoDelay(true)
    const [, id, endpoint] =
      /^\/([^/]+)\/v1\/(chat\/completions|completions|responses|models)$/.exec(req.url.split('?')[0]) ?? []
    const spec = cases.get(id)
    const json = (status, body) =>
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (req.url === '/hits') return json(200, Object.fromEntries(hits))
    if (!spec) return json(404, { error: { message: `no such case or path: ${req.url}` } })
    if (endpoint === 'models') return json(200, { object: 'list', data: [{ id: 'wire-model', object: 'model' }] })
    const hit = { requests: (hits.get(id)?.requests ?? 0) + 1, lateMs: 0 }
    hits.set(id, hit)
    replay(spec.repeat === false && hit.requests > 1 ? HEALTHY : spec, res, t0, hit)
  })
  server.requestTimeout = 0
  server.on('clientError', (_, socket) => socket.destroy())
  await new Promise((ready, fail) => server.once('error', fail).listen(port, host, ready))
  return {
    url: `http://${host}:${server.address().port}`,
    cases,
    hits,
    close: () => new Promise((done) => (server.close(done), server.closeAllConnections())),
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const args = process.argv.slice(2)
  const i = args.indexOf('--port')
  const port = i < 0 ? 0 : Number(args.splice(i, 2)[1])
  if (!Number.isInteger(port) || args.length === 0) {
    console.error('use: node replay-server.mjs [--port N] DIR...')
    process.exit(2)
  }
  const server = await startReplayServer(args, { port })
  console.log(`listening ${server.url}`)
}
