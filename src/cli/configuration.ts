import { readFileSync } from 'node:fs'
import { TwospeedError } from '../core/index.ts'
import {
  type Catalogue,
  type Configuration,
  type ConfigurationOptions,
  createConfiguration,
  findAccelerator,
  findModel,
  type ModelShape,
  modelOfConfig,
  parseCatalogue,
} from '../model/index.ts'

/** A configuration as flags name it. */
export interface Asked {
  /** A name of the catalogue, or the path of a config.json. */
  readonly model: string
  readonly gpu: string
  readonly tp?: number
  readonly pp?: number
  readonly ep?: number
  readonly dp?: number
  readonly precision?: string
  readonly kvPrecision?: string
  readonly maxNumSeqs?: number
  readonly maxBatchedTokens?: number
  readonly inputTokens: number
  readonly outputTokens: number
}

export function configurationOf(asked: Asked, own?: Catalogue): Configuration {
  return createConfiguration(optionsOf(asked, own))
}

/** Model and GPU looked up once, for those who lay them out in many ways. */
export function optionsOf(asked: Asked, own?: Catalogue): ConfigurationOptions {
  const { model, gpu, inputTokens: _, outputTokens: __, ...rest } = asked
  return { model: readModel(model, own), gpu: findAccelerator(gpu, own), ...rest }
}

/** A name of the catalogue; what ends in `.json` is a file as Hugging Face keeps it beside the weights. */
export function readModel(source: string, own?: Catalogue): ModelShape {
  return source.endsWith('.json') ? modelOfConfig(readJson('--model', source), source) : findModel(source, own)
}

export function readCatalogue(path: string): Catalogue {
  return parseCatalogue(readJson('--catalogue', path))
}

function readJson(flag: string, path: string): unknown {
  const text = readText(flag, path)
  try {
    // A byte order mark, as some editors write it, is none of JSON's.
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new TwospeedError('INVALID_CATALOGUE', `${flag} ${path} is no JSON: ${why}`, 'Check the file.')
  }
}

export function readText(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new TwospeedError('FILE_NOT_READABLE', `${flag} ${path}: ${why}`, 'Check the path.')
  }
}
