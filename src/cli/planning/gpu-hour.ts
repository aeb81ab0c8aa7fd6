import { fromZero, refuse } from '../flags.ts'

/** What a GPU costs an hour: one price for all, or one for each name as it was given. */
export type GpuHour = number | Readonly<Record<string, number>>

const FORM = 'It takes a price such as 2.5, or one for each GPU: h100-sxm=2.5,b200=4.2.'

export function gpuHour(text: string): GpuHour {
  if (!text.includes('=')) return fromZero(text)
  const prices = new Map<string, number>()
  for (const part of text.split(',')) {
    const [name = '', price = '', ...rest] = part.split('=').map((word) => word.trim())
    if (name === '' || rest.length > 0 || prices.has(name)) return refuse(FORM)
    prices.set(name, fromZero(price))
  }
  return Object.fromEntries(prices)
}
