import { TwospeedError } from '../../core/index.ts'
import { readErrorBody } from '../../wire/index.ts'
import { getText } from '../http/get-text.ts'
import type { Transport } from '../http/transport.ts'
import { targetError } from './target-fault.ts'

export interface ServedModel {
  readonly id: string
  /** Many engines put their name here. */
  readonly ownedBy?: string
}

export interface ModelsTask {
  readonly url: string
  readonly transport: Transport
  readonly headers: Readonly<Record<string, string>>
  /** The target's name in errors. */
  readonly shown: string
  readonly signal: AbortSignal
  readonly timeoutS: number
}

/** Where nothing depends on the answer. */
const SHORT_TIMEOUT_S = 3
const MAX_NAMED = 20

/** `{"data": [{"id", "owned_by"}]}`, or the bare list that some give. */
function parseModels(text: string): readonly ServedModel[] | undefined {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return undefined
  }
  const list: unknown = Array.isArray(json) ? json : (json as { data?: unknown } | null)?.data
  if (!Array.isArray(list)) return undefined
  return list.flatMap((entry: { id?: unknown; owned_by?: unknown } | null) => {
    if (typeof entry?.id !== 'string') return []
    return [{ id: entry.id, ...(typeof entry.owned_by === 'string' && { ownedBy: entry.owned_by }) }]
  })
}

function list({ url, transport, headers, signal }: ModelsTask, timeoutS: number): ReturnType<typeof getText> {
  const { pathname, search } = new URL(url)
  const path = `${pathname}${search}`
  return getText({
    transport,
    path,
    headers: { accept: 'application/json', ...headers },
    timeoutMs: 1e3 * timeoutS,
    signal,
  })
}

/** A model that the user named, and who serves it where the target says so: a simulated engine must not pass for a real one. */
export async function namedModel(id: string, task: ModelsTask): Promise<ServedModel> {
  const answer = await list(task, Math.min(SHORT_TIMEOUT_S, task.timeoutS))
  const models = answer.ok && answer.status === 200 ? parseModels(answer.text) : undefined
  return models?.find((model) => model.id === id) ?? { id }
}

/**
 * The one model that the target serves.
 *
 * @throws TwospeedError `MODEL_REQUIRED` when it lists none, several, or no models at all; as `targetError` when it fails.
 */
export async function onlyModel(task: ModelsTask): Promise<ServedModel> {
  const answer = await list(task, task.timeoutS)
  if (!answer.ok) throw targetError(answer.fault, task.shown)
  const required = (message: string): TwospeedError =>
    new TwospeedError('MODEL_REQUIRED', message, 'Name the model with --model.')
  if (answer.status === 404 || answer.status === 405 || answer.status === 501) {
    throw required(
      `${task.shown} does not list its models (GET ${new URL(task.url).pathname} answered ${answer.status}).`,
    )
  }
  if (answer.status < 200 || answer.status > 299) {
    const message = `HTTP ${answer.status}. ${readErrorBody(answer.text)}`.trim()
    throw targetError({ kind: 'http', status: answer.status, message }, task.shown)
  }
  const models = parseModels(answer.text)
  if (models === undefined) throw required(`${task.shown} answers GET /models with something else than a list.`)
  const [model, second] = models
  if (model === undefined) throw required(`${task.shown} lists no model.`)
  if (second === undefined) return model
  const named = models.slice(0, MAX_NAMED).map(({ id }) => id)
  const more = models.length > MAX_NAMED ? ` and ${models.length - MAX_NAMED} more` : ''
  throw required(`${task.shown} serves ${models.length} models: ${named.join(', ')}${more}.`)
}
