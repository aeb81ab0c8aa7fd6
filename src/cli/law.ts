import { readFileSync } from 'node:fs'
import { type Fit, TwospeedError } from '../core/index.ts'
import { type FittedServer, type Law, parseLaw, serverOfFit } from '../model/index.ts'

/** The value of `--law`: text has an equals sign, anything else is the name of a JSON file that holds a fit. */
export function readLaw(source: string): Law {
  return parseLaw(source.includes('=') ? source : readJson(source))
}

/** A law, and what its fit says beside it. */
export interface GivenLaw {
  readonly law: Law
  readonly server?: FittedServer
  /** The fit's own error. */
  readonly known?: Pick<Fit, 'errorPct' | 'errorFrom' | 'reliable' | 'why'>
}

/** The same with the server that the fit is of. */
export function readFit(source: string): GivenLaw {
  if (source.includes('=')) return { law: parseLaw(source) }
  const json = readJson(source)
  const server = serverOfFit(json)
  const { errorPct, errorFrom, reliable, why } = (json as { readonly fit?: Partial<Fit> }).fit ?? {}
  return {
    law: parseLaw(json),
    server,
    ...(errorPct !== undefined &&
      errorFrom !== undefined &&
      reliable !== undefined &&
      why !== undefined && { known: { errorPct, errorFrom, reliable, why } }),
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new TwospeedError(
      'FILE_NOT_READABLE',
      `--law ${path}: ${why}`,
      'Give a law such as a=5ms,b=0.25ms, or a fit.',
    )
  }
}
