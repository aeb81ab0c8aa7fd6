import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

/** Decodes a compressed body along the stream: what each read holds comes out with the moment of that read. */
export interface Inflater {
  write(chunk: Uint8Array, arrivalUs: number): void
  /** Calls back once all that was written has come out; with the error, where it was no such encoding. */
  end(done: (error?: Error) => void): void
}

type OnBytes = (bytes: Uint8Array, arrivalUs: number) => void

const ZLIB = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH }

const DECODERS: Readonly<Record<string, () => ReturnType<typeof createGunzip>>> = {
  gzip: () => createGunzip(ZLIB),
  'x-gzip': () => createGunzip(ZLIB),
  deflate: () => createInflate(ZLIB),
  br: () => createBrotliDecompress(BROTLI),
}

/** Undefined for `identity`, no encoding, or one that is not known. */
export function createInflater(encoding: string | undefined, onBytes: OnBytes): Inflater | undefined {
  const create = encoding === undefined ? undefined : DECODERS[encoding.trim().toLowerCase()]
  if (create === undefined) return undefined
  const decoder = create()
  const waiting: { readonly chunk: Uint8Array; readonly arrivalUs: number }[] = []
  let currentUs = 0
  let isBusy = false
  let failure: Error | undefined
  let onDone: ((error?: Error) => void) | undefined

  const drain = (): void => {
    for (let out: Buffer | null = decoder.read(); out !== null; out = decoder.read()) onBytes(out, currentUs)
  }
  // One read at a time, so that what comes out belongs to it.
  const next = (): void => {
    const item = failure === undefined ? waiting.shift() : undefined
    if (item === undefined) {
      isBusy = false
      if (onDone !== undefined) {
        decoder.destroy()
        onDone(failure)
        onDone = undefined
      }
      return
    }
    isBusy = true
    currentUs = item.arrivalUs
    decoder.write(item.chunk, () => {
      drain()
      next()
    })
  }
  decoder.on('readable', drain)
  decoder.on('error', (error) => {
    failure = error
    next()
  })

  return {
    write(chunk, arrivalUs) {
      waiting.push({ chunk, arrivalUs })
      if (!isBusy) next()
    },
    end(done) {
      onDone = done
      if (!isBusy) next()
    },
  }
}
