import {
  type ChosenPoint,
  counted,
  figure,
  objectivesName,
  type PaceConfidence,
  type Product,
  portion,
} from '../../core/index.ts'
import { money } from '../../plan/index.ts'

const ABSENT = '–'

/** ` for chat`; nothing where only limits were given. */
export const forWhom = ({ name }: Product): string => (name === 'objective' ? '' : ` for ${name}`)

/** What a product asks for: `50 tok/s/user for 90 % of requests`. */
export function goalOf(product: Product): string {
  if (product.goal === 'throughput') return 'the highest throughput'
  return `${objectivesName(product)}${product.share === undefined ? '' : ` for ${portion(product.share)} of requests`}`
}

interface Told {
  readonly choice: ChosenPoint
  readonly confidence?: PaceConfidence
}

/** `60 in flight, measured: 50 tok/s/user, 3,000 tok/s.` What the interval is of, the sentence of the confidence says where there is one. */
export function speedsLine({ choice, confidence }: Told): string {
  const { concurrency, tokensPerSecondPerUser: pace, outputTokensPerSecond: output, source, share, low, high } = choice
  const what = confidence === undefined ? ', 90 % interval' : ''
  const around = low === undefined || high === undefined ? '' : ` (${figure(low)} to ${figure(high)}${what})`
  const had = share === undefined ? '' : `${portion(share)} of requests have at least `
  return `${figure(concurrency)} in flight, ${source}: ${had}${figure(pace)} tok/s/user${around}, ${figure(output)} tok/s.`
}

export const valueCell = (value: number | undefined): string => (value === undefined ? ABSENT : figure(value))

export const moneyCell = (amount: number | undefined): string => (amount === undefined ? ABSENT : money(amount))

/** `2 replicas (8 GPUs)`. */
export function fleetOf(replicas: number, gpus: number | undefined): string {
  const count = counted(replicas, 'replica')
  return gpus === undefined ? count : `${count} (${counted(gpus, 'GPU')})`
}

/** `26 min 3 s`, `7 h 41 min`. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  return hours > 0 ? `${figure(hours)} h ${minutes} min` : `${minutes} min ${whole % 60} s`
}

/** A sentence of one of several ways to serve, which is to be known from the others. */
export function ofWay({
  configuration,
  sentence,
}: {
  readonly configuration: string
  readonly sentence: string
}): string {
  if (sentence.startsWith(configuration)) return sentence
  const inside = /^[A-Z][a-z ]/.test(sentence) ? `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}` : sentence
  return `${configuration}: ${inside}`
}
