import { readFileSync, statSync } from 'node:fs'
import { TwospeedError } from '../../core/index.ts'
import { PRODUCTS, type Product } from '../../plan/index.ts'
import { EXAMPLE, type PlannedProduct, parseProduct } from './product-file.ts'
import type { ProductFlags } from './product-flags.ts'

/**
 * What is asked for: products, of one the flags laid over it, or the flags alone. Empty: nothing, so both speeds are only told. Throws all
 * that is wrong with them at once.
 */
export function productsOf(flags: ProductFlags): readonly PlannedProduct[] {
  const bases = (flags.product ?? []).flatMap(namesIn).map(readProduct)
  const asks = {
    ...(flags.floor !== undefined && { tokensPerSecond: flags.floor }),
    ...(flags.ttft !== undefined && { ttftMs: 1000 * flags.ttft }),
    ...(flags.share !== undefined && { share: flags.share }),
  }
  const asked = Object.keys(asks).length > 0
  const [base, ...others] = bases
  if (others.length > 0) {
    checkTogether(bases, asked)
    return bases
  }
  if (base?.product.goal === 'throughput' && asked) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      `--product ${base.product.name} wants the highest throughput, which takes no --floor, --ttft or --share`,
      'Leave the product or the objective out.',
    )
  }
  if (base === undefined && asked && flags.floor === undefined && flags.ttft === undefined) {
    throw new TwospeedError(
      'MISSING_VALUE',
      '--share says how many requests must get something, but neither --floor nor --ttft says what',
      'Add --floor 50, for example.',
    )
  }
  if (base !== undefined) {
    return [{ ...base, product: { ...base.product, ...asks, ...sourceOf(base.product, flags) } }]
  }
  return asked ? [{ product: { name: 'objective', goal: 'pace', ...asks }, demand: {} }] : []
}

/** Answers tell products apart by their names, and a flag would not say whose it is. */
function checkTogether(products: readonly PlannedProduct[], asked: boolean): void {
  const names = products.map(({ product }) => product.name)
  const twice = names.filter((name, i) => names.indexOf(name) !== i)
  const problems = [
    asked && '--floor, --ttft and --share are of one product, and several are given',
    twice.length > 0 && `two products are called ${[...new Set(twice)].join(' and ')}`,
  ].filter((problem): problem is string => typeof problem === 'string')
  if (problems.length > 0) {
    throw new TwospeedError('CONFLICTING_FLAGS', problems.join('; '), 'Give each a file of its own, with its name.')
  }
}

/** A limit that was asked for instead does not come from where the product's do. */
function sourceOf({ source }: Product, { floor, ttft }: ProductFlags): Pick<Product, 'source'> {
  const own = [...(floor === undefined ? [] : ['floor']), ...(ttft === undefined ? [] : ['wait'])]
  if (source === undefined) return {}
  return { source: own.length === 0 ? source : `${source}, but for the ${own.join(' and ')}` }
}

/** `chat,batch`; a file may have a comma in its name. */
const namesIn = (text: string): readonly string[] =>
  statSync(text, { throwIfNoEntry: false })?.isFile() === true ? [text] : text.split(',').map((name) => name.trim())

/** A built-in name, else a file. */
function readProduct(source: string): PlannedProduct {
  const builtIn = Object.entries(PRODUCTS).find(([name]) => name === source)?.[1]
  return builtIn === undefined ? parseProduct(source, readText(source)) : { product: builtIn, demand: {} }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new TwospeedError(
      'FILE_NOT_READABLE',
      `--product ${path} is no product's name and cannot be read as a file`,
      EXAMPLE,
    )
  }
}
