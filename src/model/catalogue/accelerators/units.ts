/** Memory as drivers report it; a sheet's "80 GB" is often 80 GiB, and part of it may be kept for error correction. */
export const MIB: number = 2 ** 20
export const GIB: number = 2 ** 30
/** Bandwidth and arithmetic are decimal on every sheet. */
export const GB: number = 1e9
export const TERA: number = 1e12
