import { TwospeedError } from '../../core/index.ts'
import type { Accelerator } from '../catalogue/accelerator.ts'
import { sequenceBytes } from '../roofline/cache.ts'
import type { Configuration } from '../roofline/configuration.ts'
import { kvBytes } from '../roofline/precision.ts'

/** What carries the KV cache from the GPU that read a prompt to the one that answers it; bytes a second of one GPU, one way. */
export interface Link {
  readonly name: string
  readonly bytesPerSecond: number
}

/** Of one GPU, one way: PCI Express by generation at 16 lanes, networks by the speed of the port that each GPU has to itself. */
const NAMED: Readonly<Record<string, number>> = {
  pcie4: 32e9,
  pcie5: 64e9,
  '100g': 12.5e9,
  '200g': 25e9,
  '400g': 50e9,
  '800g': 100e9,
}

const RATE = /^(\d+(?:\.\d+)?)(M|G|T)(b|B)\/s$/
const SCALES: Readonly<Record<string, number>> = { M: 1e6, G: 1e9, T: 1e12 }
const HINT = `A link is nvlink (the GPU's own), ${Object.keys(NAMED).join(', ')}, or a rate of one GPU such as 50GB/s or 400Gb/s.`

/** Reads the name of a link or its rate; `nvlink` is whatever joins the GPUs of a domain. Throws INVALID_VALUE. */
export function parseLink(text: string, gpu?: Accelerator): Link {
  const name = text.trim()
  if (name.toLowerCase() === 'nvlink') {
    if (gpu !== undefined) return ownLink(gpu)
    throw new TwospeedError('INVALID_VALUE', '--link: nvlink is a link of the GPU, and none is named', HINT)
  }
  const named = NAMED[name.toLowerCase()]
  if (named !== undefined) return { name: name.toLowerCase(), bytesPerSecond: named }
  const [, digits, scale, unit] = RATE.exec(name) ?? []
  const bytesPerSecond = (Number(digits) * (SCALES[scale ?? ''] ?? 0)) / (unit === 'b' ? 8 : 1)
  if (!(bytesPerSecond > 0)) throw new TwospeedError('INVALID_VALUE', `--link: "${text}" is no link`, HINT)
  return { name, bytesPerSecond }
}

/**
 * Inside a domain the GPUs' own link; between domains a port of 400 Gb/s for each GPU, which is what the usual servers of eight have
 * (eight ConnectX-7 in NVIDIA's DGX H100 and H200).
 */
export function defaultLink(gpu: Accelerator, gpus: number): Link {
  return gpus <= gpu.domain ? ownLink(gpu) : { name: '400g', bytesPerSecond: 50e9 }
}

function ownLink({ link }: Accelerator): Link {
  return { name: link.name, bytesPerSecond: link.bytesPerSecond }
}

/** Of the rate of a link, what a large message gets of it: 0.75 to 1 in public tables of collectives at 64 MB. */
const EFFICIENCY = 0.8

/**
 * Seconds from the last token of a prompt read to its whole cache at the other side. Engines can send a layer while the next one is
 * computed; that is not counted on here.
 *
 *     T = KV bytes of one rank / rate of its link
 *
 * The ranks of TP send side by side, as many as the side with fewer has, and so do the stages of PP. Heads that are copied, and a latent,
 * which is whole on every rank, go over each link.
 */
export function transferSeconds(link: Link, from: Configuration, to: Configuration, tokens: number): number {
  const least = (key: 'tp' | 'pp'): number => Math.min(from.parallelism[key], to.parallelism[key])
  const bytes = sequenceBytes(to.model, kvBytes(to.kvPrecision) ?? 2, least('tp'), tokens) / least('pp')
  return bytes / (EFFICIENCY * link.bytesPerSecond)
}
