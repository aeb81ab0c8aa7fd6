import type { Command, Option } from 'commander'
import { type Difference, TwospeedError, type WhatIf } from '../../core/index.ts'
import { repeatable } from '../flags.ts'

/** `example`: a change of a flag that the command has. */
export const whatIfOption = (example: string): Option =>
  repeatable(
    '--what-if <change>',
    `the answer once more with this changed, beside this one: '${example}', or several: 'floor=40; tp=4'; an empty value leaves a flag out`,
  )

/** What a command is asked: files and folders, and its flags. */
export interface Question<Flags> {
  readonly paths: readonly string[]
  readonly flags: Flags
}

/** Flags that say how to print are no part of a question. */
const OF_PRINTING: ReadonlySet<string> = new Set(['what-if', 'json', 'markdown', 'html', 'help'])

/**
 * The question with each change, in the command's own words. Throws INVALID_VALUE with all that is no change: a name that is no flag, a
 * value that the flag does not take.
 */
export function changed<Flags extends object>(
  changes: readonly string[],
  { paths, flags }: Question<Flags>,
  createCommand: () => Command,
): readonly Question<Flags>[] {
  const problems: string[] = []
  const questions = changes.map((change) => {
    const { options } = createCommand()
    const next = { paths, flags: { ...flags } }
    const parts = change.split(';').filter((part) => part.trim() !== '')
    if (parts.length === 0) problems.push(`"${change}" changes nothing`)
    for (const part of parts) {
      const [name = '', ...value] = part.split('=')
      const problem = change1(
        next,
        options,
        name.trim().replace(/^--/, ''),
        value.length === 0 ? undefined : value.join('=').trim(),
      )
      if (problem !== undefined) problems.push(`"${part.trim()}": ${problem}`)
    }
    return next
  })
  if (problems.length === 0) return questions
  const hasArrivals = createCommand().options.some(({ long }) => long === '--arrivals')
  const hint = `Such as --what-if '${hasArrivals ? 'arrivals=24/s' : 'floor=40'}', with the name and the form of any flag of the command.`
  throw new TwospeedError('INVALID_VALUE', `--what-if ${problems.join('; ')}`, hint)
}

/** Changes one thing of a question; or says why not. */
function change1<Flags extends object>(
  question: { paths: readonly string[]; flags: Flags },
  options: readonly Option[],
  name: string,
  text: string | undefined,
): string | undefined {
  if (name === 'evidence') {
    question.paths = (text ?? '').split(',').flatMap((path) => (path.trim() === '' ? [] : [path.trim()]))
    return undefined
  }
  const option = options.find(({ long }) => long === `--${name}`)
  if (option === undefined || OF_PRINTING.has(name)) return 'the command has no such flag to change'
  const key = option.attributeName()
  if (text === '') {
    question.flags = { ...question.flags, [key]: undefined }
    delete (question.flags as Record<string, unknown>)[key]
    return undefined
  }
  if (text === undefined) {
    if (option.required) return 'it lacks its value, as in NAME=VALUE'
    question.flags = { ...question.flags, [key]: true }
    return undefined
  }
  if (!option.required) return 'the flag takes no value'
  try {
    question.flags = {
      ...question.flags,
      [key]: option.parseArg === undefined ? text : option.parseArg(text, undefined as never),
    }
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The answer to a changed question beside the first; one that there is none to says why in its place. */
export async function whatIfOf<Answer extends NonNullable<WhatIf['answer']>>(
  change: string,
  base: object,
  answer: () => Promise<Answer>,
): Promise<WhatIf> {
  try {
    const other = await answer()
    return { change, answer: other, differences: differencesOf(base, other) }
  } catch (error) {
    if (!(error instanceof TwospeedError)) throw error
    const { code, message, hint } = error
    return { change, error: { code, message, hint } }
  }
}

type Leaf = number | string | boolean

/** Figures and words that differ, in the order of the answers; a law is told by what comes of it. */
function differencesOf(from: object, to: object): readonly Difference[] {
  const [before, after] = [new Map(leavesOf(from)), new Map(leavesOf(to))]
  const keys = new Set([...before.keys(), ...after.keys()])
  return [...keys].flatMap((key): readonly Difference[] => {
    const [old, now] = [before.get(key), after.get(key)]
    if (isSame(old, now)) return []
    return [{ key, ...(old !== undefined && { from: old }), ...(now !== undefined && { to: now }) }]
  })
}

const PROSE: ReadonlySet<string> = new Set(['sentence', 'reason', 'fit', 'source'])

/** Lists and prose are no figures; but of several products each has its own, by its name. */
function leavesOf(value: object, path = ''): readonly (readonly [string, Leaf])[] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]): readonly (readonly [string, Leaf])[] => {
    if (PROSE.has(key)) return []
    const name = path === '' ? key : `${path}.${key}`
    if (Array.isArray(inner))
      return inner.flatMap((one) => (isOfProduct(one) ? leavesOf(one, `${name}.${one.product.name}`) : []))
    if (typeof inner === 'object' && inner !== null) return leavesOf(inner, name)
    return typeof inner === 'number' || typeof inner === 'string' || typeof inner === 'boolean' ? [[name, inner]] : []
  })
}

const isOfProduct = (
  value: { readonly product?: { readonly name?: unknown } } | null,
): value is { product: { name: string } } => typeof value?.product?.name === 'string'

const isSame = (a: Leaf | undefined, b: Leaf | undefined): boolean =>
  a === b ||
  (typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b)))
