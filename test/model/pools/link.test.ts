import { describe, expect, it } from 'vitest'
import { findAccelerator, findModel } from '../../../src/model/catalogue/find.ts'
import { defaultLink, parseLink, transferSeconds } from '../../../src/model/pools/link.ts'
import { type Configuration, createConfiguration } from '../../../src/model/roofline/index.ts'

const H100 = findAccelerator('h100-sxm')
const GB200 = findAccelerator('gb200')
/** 400 Gb/s, of which a large message gets 40 GB/s. */
const NETWORK = parseLink('400g', H100)

function laidOut(model: string, tp: number, dp = 1): Configuration {
  return createConfiguration({ model: findModel(model), gpu: H100, tp, dp, precision: 'fp8' })
}

describe('links', () => {
  it('are known by name or rate, bits and bytes kept apart', () => {
    expect(NETWORK.bytesPerSecond).toBe(50e9)
    expect(parseLink('400Gb/s', H100).bytesPerSecond).toBe(50e9)
    expect(parseLink('50GB/s', H100).bytesPerSecond).toBe(50e9)
    expect(parseLink('100MB/s', H100).bytesPerSecond).toBe(1e8)
    expect(parseLink('NVLink', H100).bytesPerSecond).toBe(450e9)
  })

  it.each(['', 'infiniband', '400', '0GB/s', '-1GB/s', '400 gb/s'])('refuses %j', (text) => {
    expect(() => parseLink(text, H100)).toThrow(/^--link: /)
  })

  it('are the own of the GPUs inside a domain, and a port of the network between domains', () => {
    expect(defaultLink(H100, 8)).toEqual({ name: H100.link.name, bytesPerSecond: 450e9 })
    expect(defaultLink(H100, 9).bytesPerSecond).toBe(50e9)
    expect(defaultLink(GB200, 72).bytesPerSecond).toBe(900e9)
  })
})

describe('the KV cache on its way', () => {
  it('takes its bytes over the rate: 4096 tokens of Llama-70B are 1.34 GB', () => {
    const one = laidOut('Llama-3.1-70B', 1)
    expect(transferSeconds(NETWORK, one, one, 4096)).toBeCloseTo((4096 * 327_680) / 40e9, 9)
  })

  it('goes over as many links as the side with fewer ranks has, but a head is not cut', () => {
    const seconds = (from: number, to: number): number =>
      transferSeconds(NETWORK, laidOut('Llama-3.1-70B', from), laidOut('Llama-3.1-70B', to), 4096)
    expect(seconds(4, 8)).toBeCloseTo(seconds(1, 1) / 4, 9)
    expect(seconds(8, 4)).toBeCloseTo(seconds(4, 8), 9)
    // Eight KV heads.
    expect(seconds(16, 16)).toBeCloseTo(seconds(8, 8), 9)
  })

  it('of a latent goes to every rank whole', () => {
    const seconds = (tp: number): number =>
      transferSeconds(NETWORK, laidOut('DeepSeek-V3', tp), laidOut('DeepSeek-V3', tp), 4096)
    expect(seconds(1)).toBeCloseTo((4096 * 70_272) / 40e9, 9)
    expect(seconds(8)).toBe(seconds(1))
  })
})
