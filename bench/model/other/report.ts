import { errorsOf, type NamedErrors, type Pair } from '../errors.ts'
import type { TableReport } from '../table-report.ts'

/** A row that is compared, in any unit that both figures share, with the groups it belongs to; or one that is not, and why. */
export type Outcome = (Pair & { readonly groups: readonly string[] }) | { readonly why: string }

/** Groups stand in the order of their names, those of one kind together: `groups` of every row names one of each kind. */
export function tableReport(
  table: string,
  what: string,
  outcomes: readonly Outcome[],
  notes: readonly string[] = [],
): TableReport {
  const pairs: Pair[] = []
  const kinds: Map<string, Pair[]>[] = []
  const leftOut = new Map<string, number>()
  for (const outcome of outcomes) {
    if ('why' in outcome) {
      leftOut.set(outcome.why, (leftOut.get(outcome.why) ?? 0) + 1)
      continue
    }
    pairs.push(outcome)
    for (const [kind, name] of outcome.groups.entries()) {
      kinds[kind] ??= new Map<string, Pair[]>()
      const group = kinds[kind].get(name)
      if (group === undefined) kinds[kind].set(name, [outcome])
      else group.push(outcome)
    }
  }
  const named = (groups: ReadonlyMap<string, readonly Pair[]>): readonly NamedErrors[] =>
    [...groups]
      .sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
      .map(([name, members]) => ({ name, ...errorsOf(members) }))
  return {
    table,
    what,
    groups: pairs.length === 0 ? [] : [{ name: 'all', ...errorsOf(pairs) }, ...kinds.flatMap(named)],
    notes: [...notes, ...(leftOut.size === 0 ? [] : [`Left out: ${[...leftOut].map(countOf).join('; ')}.`])],
  }
}

const countOf = ([why, rows]: readonly [string, number]): string =>
  `${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'} ${why}`
