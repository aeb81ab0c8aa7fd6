import type { Leg } from './leg.ts'

interface Traveller {
  readonly leg: Leg
  readonly endS: number
}

/**
 * What takes each request some time and `places` of them at once: the rest wait in the order in which they came. The link between pools
 * that read prompts and pools that answer is one, with few places; the work of a server before a prompt can be read is another, with room
 * for all. It takes a microsecond at least, so that nothing is brought about at its own instant. Those that end at one instant do so in the
 * order in which they began.
 */
export class Way {
  readonly #places: number
  readonly #secondsOf: (promptTokens: number) => number
  /** Under way; the one that ends next is the last. */
  readonly #moving: Traveller[] = []
  #waiting: Leg[] = []
  /** How many of `#waiting`, from its front, have begun. */
  #begun = 0

  constructor(places: number, secondsOf: (promptTokens: number) => number) {
    this.#places = places
    this.#secondsOf = secondsOf
  }

  /** When one next ends; Infinity: there is none. */
  get nextS(): number {
    const { length } = this.#moving
    return length === 0 ? Infinity : (this.#moving[length - 1] as Traveller).endS
  }

  /** Under way and waiting. */
  get size(): number {
    return this.moving + this.#waiting.length - this.#begun
  }

  get moving(): number {
    return this.#moving.length
  }

  /** Under way, then those that wait. */
  all(): readonly Leg[] {
    return [...this.#moving.map(({ leg }) => leg), ...this.#waiting.slice(this.#begun)]
  }

  add(leg: Leg, nowS: number): void {
    if (this.#moving.length < this.#places) this.#start(leg, nowS)
    else this.#waiting.push(leg)
  }

  /** Takes the one that ends at `nextS` off, and starts the first that waits. */
  take(): Leg | undefined {
    const done = this.#moving.pop()
    const next = this.#waiting[this.#begun]
    if (done !== undefined && next !== undefined) {
      this.#begun++
      this.#start(next, done.endS)
      if (2 * this.#begun > this.#waiting.length) {
        this.#waiting = this.#waiting.slice(this.#begun)
        this.#begun = 0
      }
    }
    return done?.leg
  }

  #start(leg: Leg, startS: number): void {
    const endS = startS + Math.max(this.#secondsOf(leg.promptTokens), 1e-6)
    let low = 0
    let high = this.#moving.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#moving[middle] as Traveller).endS > endS) low = middle + 1
      else high = middle
    }
    this.#moving.splice(low, 0, { leg, endS })
  }
}
