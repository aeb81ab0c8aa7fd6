/** x of matrix · x = right for a small, symmetric, positive definite matrix: elimination, which needs no pivots there. */
export function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const rows = matrix.map((row, i) => [...row, right[i] ?? 0])
  rows.forEach((pivot, i) => {
    rows.slice(i + 1).forEach((row) => {
      const share = (row[i] ?? 0) / (pivot[i] ?? 1)
      for (let k = i; k < row.length; k++) row[k] = (row[k] ?? 0) - share * (pivot[k] ?? 0)
    })
  })
  const x = right.map(() => 0)
  for (let i = rows.length - 1; i >= 0; i--) {
    const row = rows[i] ?? []
    const known = x.reduce((sum, value, k) => (k > i ? sum + (row[k] ?? 0) * value : sum), 0)
    x[i] = ((row[rows.length] ?? 0) - known) / (row[i] ?? 1)
  }
  return x
}
