/** Bytes that grow as they are appended: amortised linear, however small the pieces. */
export interface Bytes {
  append(source: Uint8Array, from: number, to: number): void
  appendByte(byte: number): void
  length(): number
  /** Valid until the next call. */
  view(): Uint8Array
  clear(): void
}

const SMALL = 1024
/** What is kept between uses; one huge event must not stay in memory for the rest of a run. */
const KEEP = 1 << 16

export function createBytes(): Bytes {
  let store = new Uint8Array(SMALL)
  let used = 0
  const need = (more: number): void => {
    if (used + more <= store.length) return
    const grown = new Uint8Array(Math.max(store.length * 2, used + more))
    grown.set(store.subarray(0, used))
    store = grown
  }
  return {
    append(source, from, to) {
      need(to - from)
      store.set(source.subarray(from, to), used)
      used += to - from
    },
    appendByte(byte) {
      need(1)
      store[used++] = byte
    },
    length: () => used,
    view: () => store.subarray(0, used),
    clear() {
      used = 0
      if (store.length > KEEP) store = new Uint8Array(SMALL)
    },
  }
}
