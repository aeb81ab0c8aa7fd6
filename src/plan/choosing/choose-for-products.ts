import {
  type ChoiceTable,
  type Product,
  type ProductChoice,
  type ProductWork,
  TwospeedError,
} from '../../core/index.ts'
import type { Candidate } from '../candidate.ts'
import { chooseAmong } from './choose-among.ts'
import { poolAdvice, type ServedProduct } from './pool-advice.ts'
import { type ChoosingOptions, unlessRefused } from './tried.ts'

export interface ProductsOptions extends ChoosingOptions {
  /** Of all output tokens, each product's, in any unit. Absent: equal ones. */
  readonly shares?: readonly number[]
}

/**
 * One choice for each product, and whether they should share a pool. A product that nothing holds says so in its own row.
 *
 * Throws NO_POINT_HOLDS where none of them is held; INVALID_VALUE where the shares are not one for each, above 0.
 */
export function chooseForProducts(
  candidates: readonly Candidate[],
  products: readonly (Product & ProductWork)[],
  options: ProductsOptions = {},
): ChoiceTable {
  const { shares = products.map(() => 1), ...rest } = options
  const all = shares.reduce((sum, share) => sum + share, 0)
  if (shares.length !== products.length || !shares.every((share) => share > 0) || !Number.isFinite(all)) {
    throw new TwospeedError(
      'INVALID_VALUE',
      `the shares of ${products.length} products are ${products.length} numbers above 0, and not ${shares.join(', ') || 'none'}`,
      'Give one for each product, of the output tokens that it makes.',
    )
  }
  const rows = products.map((product): ProductChoice => {
    const answer = unlessRefused(() => chooseAmong(candidates, product, rest))
    if (!(answer instanceof TwospeedError)) return { product, answer }
    const { code, message, hint } = answer
    return { product, error: { code, message, hint } }
  })
  const served = rows.flatMap((row, i): readonly ServedProduct[] =>
    'answer' in row ? [{ product: products[i] ?? row.product, answer: row.answer, tokens: shares[i] ?? 0 }] : [],
  )
  if (served.length === 0) throw noneHolds(rows)
  const pools = served.length < 2 ? undefined : poolAdvice(candidates, served, rest)
  return { products: rows, ...(pools !== undefined && { pools }) }
}

function noneHolds(rows: readonly ProductChoice[]): TwospeedError {
  const errors = rows.flatMap((row) => ('error' in row ? [{ name: row.product.name, ...row.error }] : []))
  const [first] = errors
  return new TwospeedError(
    first?.code ?? 'NO_POINT_HOLDS',
    errors.map(({ name, message }) => `${name}: ${message}`).join('; '),
    errors.map(({ name, hint }) => `${name}: ${hint}`).join(' '),
  )
}
