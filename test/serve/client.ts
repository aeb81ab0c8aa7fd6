/** The least client that shows what the server says: each event of a stream as parsed JSON, with the time it came. */
export interface Streamed {
  readonly status: number
  readonly headers: Headers
  readonly events: readonly unknown[]
  /** The last event was [DONE]. */
  readonly done: boolean
}

export function post(url: string, path: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  })
}

export async function stream(
  url: string,
  path: string,
  body: Record<string, unknown>,
  init?: RequestInit,
): Promise<Streamed> {
  const response = await post(url, path, { ...body, stream: true }, init)
  const data = (await response.text()).split('\n\n').filter((event) => event !== '')
  const payloads = data.map((event) => {
    if (!event.startsWith('data: ') || event.includes('\n')) throw new Error(`not one line of data: ${event}`)
    return event.slice('data: '.length)
  })
  const done = payloads.at(-1) === '[DONE]'
  const events = payloads.slice(0, done ? -1 : undefined).map((payload) => JSON.parse(payload))
  return { status: response.status, headers: response.headers, events, done }
}

/** Waits until `check` holds; fails after `timeoutMs`. */
export async function until(check: () => boolean | Promise<boolean>, timeoutMs = 5000): Promise<void> {
  const start = performance.now()
  while (!(await check())) {
    if (performance.now() - start > timeoutMs) throw new Error('it never came to pass')
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
