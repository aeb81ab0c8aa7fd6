import { readFileSync } from 'node:fs'
import { TwospeedError } from '../core/index.ts'
import { type Law, parseLaw } from '../model/index.ts'

/** The value of `--law`: text has an equals sign, anything else is the name of a JSON file that holds a fit. */
export function readLaw(source: string): Law {
  if (source.includes('=')) return parseLaw(source)
  let json: unknown
  try {
    json = JSON.parse(readFileSync(source, 'utf8'))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new TwospeedError(
      'FILE_NOT_READABLE',
      `--law ${source}: ${why}`,
      'Give a law such as a=5ms,b=0.25ms, or a fit.',
    )
  }
  return parseLaw(json)
}
