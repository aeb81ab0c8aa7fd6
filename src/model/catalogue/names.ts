/** Letters and digits alone, so that `-`, `_`, `.`, `/` and spaces make no difference. */
export const squeeze = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/**
 * The names that lie nearest, best first; of two alike the one that stands first. `formsOf` gives what a name may be called: the whole
 * of it or a part. What is only cut off or put before costs little, for a family is often named without its form.
 */
export function nearest(
  name: string,
  names: readonly string[],
  formsOf: (name: string) => readonly string[] = (whole) => [whole],
  most = 3,
): readonly string[] {
  const wanted = squeeze(name)
  const scored = names.map((candidate) => ({
    candidate,
    distance: Math.min(...formsOf(candidate).map((form) => distance(wanted, squeeze(form)))),
  }))
  return scored
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ candidate }) => candidate)
}

function distance(wanted: string, has: string): number {
  const more = Math.abs(has.length - wanted.length)
  if (wanted === '' || !(has.includes(wanted) || wanted.includes(has))) return edits(wanted, has)
  return (has.startsWith(wanted) || wanted.startsWith(has) ? 0.2 : 0.6) * more
}

/** Levenshtein's: the fewest letters to change, add or take away. */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const kept = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)
      next.push(Math.min(kept, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
