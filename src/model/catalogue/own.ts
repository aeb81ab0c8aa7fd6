import { TwospeedError } from '../../core/index.ts'
import type { Accelerator, ComputeType } from './accelerator.ts'
import type { Catalogue } from './catalogue.ts'
import { modelOfConfig } from './config/config.ts'
import { createFields, type Fields, isObject } from './fields.ts'
import type { ModelShape } from './model-shape.ts'
import { shapeOf } from './own-shape.ts'

/**
 * The user's own catalogue, `{"accelerators": […], "models": […]}`, with the keys of `Accelerator` and `ModelShape`. A model may also be
 * `{"id", "config"}` with its config.json inside. Of an accelerator `vendor`, `domain` and `source` may be left out. Unknown keys and
 * sizes in other units than bytes and FLOP/s are refused, all at once.
 */
export function parseCatalogue(json: unknown): Catalogue {
  const problems: string[] = []
  const file = isObject(json) ? createFields(json, '', problems) : undefined
  if (file === undefined) problems.push('it is not a JSON object with "accelerators" and "models"')
  file?.only(['accelerators', 'models'])
  const entries = (key: string): readonly Fields[] =>
    (file?.list(key) ?? []).flatMap((entry, i) => {
      if (isObject(entry)) return [createFields(entry, `${key}[${i}]`, problems)]
      problems.push(`${key}[${i}] is not an object`)
      return []
    })
  const accelerators = entries('accelerators').map(accelerator)
  const models = entries('models').flatMap((entry) => model(entry, problems))
  for (const { ids, of } of [
    { ids: accelerators.map(({ id }) => id), of: 'accelerators' },
    { ids: models.map(({ id }) => id), of: 'models' },
  ]) {
    const twice = ids.filter((id, i) => id !== '' && ids.indexOf(id) !== i)
    for (const id of new Set(twice)) problems.push(`${of} has ${JSON.stringify(id)} twice`)
  }
  if (problems.length > 0) {
    throw new TwospeedError(
      'INVALID_CATALOGUE',
      `this catalogue cannot be used: ${problems.join('; ')}`,
      'docs/reference/catalogue.md shows an entry of each kind.',
    )
  }
  return { accelerators, models }
}

const COMPUTE_TYPES: readonly ComputeType[] = ['bf16', 'fp16', 'fp8', 'int8', 'fp4']

/** 100 MB and 100 TB: a memory of "80" was meant in GB. */
const BYTES = { least: 1e8, most: 1e14, fraction: true } as const
/** 1 GB/s and 1 PB/s. */
const BYTES_PER_SECOND = { least: 1e9, most: 1e15, fraction: true } as const
/** 0.1 TFLOP/s and 1 EFLOP/s. */
const FLOPS = { least: 1e11, most: 1e18, fraction: true } as const

function accelerator(fields: Fields): Accelerator {
  fields.only([
    'id',
    'vendor',
    'memoryBytes',
    'memoryBytesPerSecond',
    'flopsPerSecond',
    'link',
    'domain',
    'powerW',
    'source',
  ])
  const powerW = fields.number('powerW', { most: 1e6, fraction: true })
  return {
    id: idOf(fields),
    vendor: fields.text('vendor') ?? 'own',
    memoryBytes: fields.required('memoryBytes', BYTES),
    memoryBytesPerSecond: fields.required('memoryBytesPerSecond', BYTES_PER_SECOND),
    flopsPerSecond: flopsOf(fields),
    link: linkOf(fields),
    domain: fields.number('domain', { most: 1e6 }) ?? 8,
    ...(powerW !== undefined && { powerW }),
    source: fields.text('source') ?? 'own catalogue',
  }
}

function idOf(fields: Fields): string {
  const id = fields.text('id')
  if (id === undefined && fields.raw('id') === undefined) fields.problem('id is missing')
  return id ?? ''
}

function flopsOf(fields: Fields): Accelerator['flopsPerSecond'] {
  const rates = fields.object('flopsPerSecond')
  rates?.only(COMPUTE_TYPES)
  const read = COMPUTE_TYPES.flatMap((type) => {
    const rate = rates?.number(type, FLOPS)
    return rate === undefined ? [] : [[type, rate] as const]
  })
  if (!read.some(([type]) => type === 'bf16' || type === 'fp16')) {
    fields.problem('flopsPerSecond needs bf16 or fp16, of dense matrices, in FLOP/s')
  }
  return Object.fromEntries(read)
}

function linkOf(fields: Fields): Accelerator['link'] {
  const link = fields.object('link')
  if (link === undefined) {
    if (fields.raw('link') === undefined) fields.problem('link is missing')
    return { name: '', bytesPerSecond: 0 }
  }
  link.only(['name', 'bytesPerSecond', 'pcie'])
  const pcie = link.flag('pcie')
  return {
    name: link.text('name') ?? 'link',
    bytesPerSecond: link.required('bytesPerSecond', BYTES_PER_SECOND),
    ...(pcie === true && { pcie }),
  }
}

function model(fields: Fields, problems: string[]): readonly ModelShape[] {
  const id = idOf(fields)
  if (fields.raw('config') !== undefined) {
    fields.only(['id', 'config', 'source'])
    try {
      const shape = modelOfConfig(fields.raw('config'), id)
      return [{ ...shape, source: fields.text('source') ?? shape.source }]
    } catch (error) {
      if (!(error instanceof TwospeedError)) throw error
      problems.push(error.message)
      return []
    }
  }
  return [shapeOf(fields, id)]
}
