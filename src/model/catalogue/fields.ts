export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export interface Range {
  readonly least?: number
  readonly most?: number
  /** Fractions are allowed. */
  readonly fraction?: true
}

/**
 * One object of a JSON file, read key by key. What is wrong is noted with its place, so that all of it can be told at once; a value
 * that is wrong reads as if it were absent.
 */
export interface Fields {
  /** The value of the first of these keys that is there; null counts as absent. */
  raw(...keys: readonly string[]): unknown
  number(keys: string | readonly string[], range?: Range): number | undefined
  /** 0 where it is missing, and then a problem. */
  required(keys: string | readonly string[], range?: Range): number
  text(key: string): string | undefined
  flag(key: string): boolean | undefined
  list(key: string): readonly unknown[] | undefined
  object(key: string): Fields | undefined
  /** Notes every key that is none of these. */
  only(keys: readonly string[]): void
  problem(text: string): void
}

/** `path` is how messages name the object: '' for the file itself, else `models[2]` and the like. */
export function createFields(value: JsonObject, path: string, problems: string[]): Fields {
  const at = (key: string): string => (path === '' ? key : `${path}.${key}`)
  const present = (key: string): boolean => value[key] !== undefined && value[key] !== null
  const wrong = (key: string, wanted: string): undefined => {
    problems.push(`${at(key)} is not ${wanted}: ${JSON.stringify(value[key])?.slice(0, 60)}`)
    return undefined
  }
  const fields: Fields = {
    raw: (...keys) => {
      const key = keys.find(present)
      return key === undefined ? undefined : value[key]
    },
    number: (keys, { least = 1, most = 1e9, fraction } = {}) => {
      const key = [keys].flat().find(present)
      if (key === undefined) return undefined
      const read = value[key]
      const wanted = `a ${fraction === true ? '' : 'whole '}number from ${least} to ${most}`
      if (typeof read !== 'number' || !(read >= least && read <= most)) return wrong(key, wanted)
      return fraction === true || Number.isInteger(read) ? read : wrong(key, wanted)
    },
    required: (keys, range) => {
      const names = [keys].flat()
      if (!names.some(present)) problems.push(`${at(names[0] ?? '')} is missing`)
      return fields.number(names, range) ?? 0
    },
    text: (key) => {
      if (!present(key)) return undefined
      const read = value[key]
      return typeof read === 'string' && read.trim() !== '' ? read : wrong(key, 'a text')
    },
    flag: (key) => {
      if (!present(key)) return undefined
      const read = value[key]
      return typeof read === 'boolean' ? read : wrong(key, 'true or false')
    },
    list: (key) => {
      if (!present(key)) return undefined
      const read = value[key]
      return Array.isArray(read) ? read : wrong(key, 'a list')
    },
    object: (key) => {
      if (!present(key)) return undefined
      const read = value[key]
      return isObject(read) ? createFields(read, at(key), problems) : wrong(key, 'an object')
    },
    only: (keys) => {
      for (const key of Object.keys(value)) {
        if (!keys.includes(key)) problems.push(`${at(key)} is no known key; those are ${keys.join(', ')}`)
      }
    },
    problem: (text) => void problems.push(path === '' ? text : `${path}: ${text}`),
  }
  return fields
}
