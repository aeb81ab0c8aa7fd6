import { readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { TwospeedError } from '../../core/index.ts'

/** How many tokens a text makes, without those that a template adds around it. */
export type CountTokens = (text: string) => number

const HINT = "Give a Hugging Face tokenizer.json, or the model's folder that holds it."

async function readJson(path: string): Promise<object> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new TwospeedError('FILE_NOT_READABLE', `${path} cannot be read: ${error.code ?? error.message}.`, HINT)
  })
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // The same as a value that is no object.
  }
  throw new TwospeedError('INVALID_VALUE', `${path} is not a JSON object.`, HINT)
}

/**
 * The tokenizer in a `tokenizer.json`, given as the file or as the folder that holds it.
 *
 * @throws TwospeedError `FILE_NOT_READABLE`, `INVALID_VALUE`
 */
export async function loadTokenizer(path: string): Promise<CountTokens> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
  const file = isFolder ? join(path, 'tokenizer.json') : path
  const json = await readJson(file)
  // Beside it may stand how a family of models treats it; what does not help does not hinder.
  const config = await readJson(join(dirname(file), 'tokenizer_config.json')).catch(() => ({}))
  // Loaded only here: most runs need none.
  const { Tokenizer } = await import('@huggingface/tokenizers')
  try {
    const tokenizer = new Tokenizer(json, config)
    const count: CountTokens = (text) =>
      text === '' ? 0 : tokenizer.encode(text, { add_special_tokens: false }).ids.length
    // Some files load and then cannot encode; better now than after the first answer.
    count('a word')
    return count
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new TwospeedError('INVALID_VALUE', `${file} is no tokenizer that can be used: ${why}`, HINT)
  }
}
