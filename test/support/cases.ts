import { readdirSync, readFileSync } from 'node:fs'

/** What a case says of one value. */
export type Expectation =
  | { readonly value: number | string | boolean; readonly tol?: number }
  | { readonly absent: true }
  | { readonly min: number; readonly max: number }
  | { readonly oneOf: readonly unknown[] }
  | { readonly matches: string }
  | { readonly nonEmpty: true }

/** Paths such as `points[0].latency.ttftMs.p50`, each with what it must be. */
export type Expectations = Readonly<Record<string, Expectation>>

/** The cases of one kind (`metrics`, `planning`, `wire`), in the order of their names. */
export function readCases<Case extends { readonly id: string }>(kind: string): readonly Case[] {
  const folder = new URL(`../fixtures/cases/${kind}/`, import.meta.url)
  return readdirSync(folder)
    .sort()
    .map((name) => JSON.parse(readFileSync(new URL(`${name}/case.json`, folder), 'utf8')) as Case)
}

/** Every expectation that does not hold, in words; none when all do. */
export function mismatches(actual: unknown, expectations: Expectations): readonly string[] {
  return Object.entries(expectations).flatMap(([path, expectation]) => {
    const value = valueAt(actual, path)
    return meets(value, expectation)
      ? []
      : [`${path}: expected ${JSON.stringify(expectation)}, got ${String(JSON.stringify(value))}`]
  })
}

/** `undefined` where the key or a parent of it is missing. */
function valueAt(root: unknown, path: string): unknown {
  const keys = path.replaceAll(/\[(\d+)\]/g, '.$1').split('.')
  return keys.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined),
    root,
  )
}

export function meets(actual: unknown, expectation: Expectation): boolean {
  if ('absent' in expectation) return actual === undefined
  if ('min' in expectation) {
    return isFiniteNumber(actual) && actual >= expectation.min && actual <= expectation.max
  }
  if ('oneOf' in expectation) return expectation.oneOf.includes(actual)
  if ('matches' in expectation) return typeof actual === 'string' && new RegExp(expectation.matches, 'i').test(actual)
  if ('nonEmpty' in expectation) return Array.isArray(actual) && actual.length > 0
  const { value, tol = 0 } = expectation
  if (typeof value !== 'number') return actual === value
  return isFiniteNumber(actual) && Math.abs(actual - value) <= Math.max(tol, 1e-9 * Math.abs(value))
}

const isFiniteNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
