import { CELLS, type CellCounts, createCells } from './cells.ts'
import { type Span, toMicros } from './instants.ts'
import type { RequestRecord } from './record.ts'
import type { Stream } from './stream.ts'

/** At the end of a window between half as many and all are in use: 8 to 16 a cell. */
const SLOTS = 16 * CELLS

/**
 * The cells of a window whose end is not known yet, at a cost that does not grow with the length of answers: the tokens that decode made are
 * told by the stretch of time, and spread evenly over it. Good for how sure a figure is; the figures themselves do not come from here.
 *
 *     slots, each twice as wide when the last one is full      |·|·|·|·|·|·|·|·|  →  |···|···|···|···|   |   |   |   |
 */
export interface GrowingCells {
  /** A request that was sent, and ended before the window's end or when that was known. */
  add(record: RequestRecord, stream: Stream | undefined): void
  /** So many tokens of any answers, none of them its first, came in a stretch that is over. */
  addDecoded(fromUs: number, toUs: number, tokens: number): void
  within(window: Span): CellCounts
}

export function createGrowingCells(startUs: number): GrowingCells {
  /** 0 while nothing was added. */
  let widthUs = 0
  let answers = 0
  const [present, decoding, decoded, firsts] = [createSlots(), createSlots(), createSlots(), createSlots()]

  const reach = (untilUs: number): void => {
    // The first that ends tells how long things take here: a window of some ten times as long fills the slots.
    if (widthUs === 0) widthUs = 2 ** Math.ceil(Math.log2((10 * (untilUs - startUs) + 1) / SLOTS + 1))
    while (untilUs - startUs >= SLOTS * widthUs) {
      for (const slots of [present, decoding, decoded, firsts]) slots.join()
      widthUs *= 2
    }
  }

  /** `perUs` each microsecond of a stretch. */
  const spread = (slots: Slots, fromUs: number, toUs: number, perUs: number): void => {
    const from = Math.max(0, fromUs - startUs)
    const to = toUs - startUs
    if (from < to) slots.spread(from / widthUs, to / widthUs, perUs * widthUs)
  }

  return {
    add: (record, stream) => {
      const endUs = toMicros(record.endS)
      if (endUs < startUs) return
      reach(endUs)
      spread(present, toMicros(record.sentS), endUs, 1)
      if (stream === undefined || stream.lastUs < startUs) return
      answers += 1
      const { firstUs, lastUs } = stream
      if (firstUs >= startUs) firsts.add((firstUs - startUs) / widthUs, 1)
      spread(decoding, firstUs, lastUs, 1)
    },
    addDecoded: (fromUs, toUs, tokens) => {
      if (toUs <= startUs) return
      reach(toUs)
      spread(decoded, fromUs, toUs, tokens / (toUs - fromUs))
    },
    within: (window) => {
      const { cellOf, length } = createCells(window)
      const cell = (window.endUs - window.startUs) / CELLS / Math.max(1, widthUs)
      const later = decoded.cells(cell)
      const first = firsts.cells(cell)
      return {
        answers: () => answers,
        cellOf,
        length,
        tokens: later.map((tokens, at) => tokens + (first[at] ?? 0)),
        decoded: later,
        present: present.cells(cell),
        decoding: decoding.cells(cell),
      }
    },
  }
}

interface Slots {
  add(at: number, amount: number): void
  /** `perSlot` over each whole slot between two places. */
  spread(from: number, to: number, perSlot: number): void
  /** Two and two become one. */
  join(): void
  /** What lies in each of the cells, which are so many slots wide; a slot that an edge cuts is shared by length. */
  cells(width: number): Float64Array
}

/** What rounding may leave where nothing is. */
const NOTHING = 1e-6

function createSlots(): Slots {
  const own = new Float64Array(SLOTS)
  /** By how much more each slot has than the one before it, of what runs through whole slots. */
  const steps = new Float64Array(SLOTS + 1)
  const addTo = (slots: Float64Array, at: number, amount: number): void => {
    slots[at] = (slots[at] ?? 0) + amount
  }
  const settle = (): void => {
    let level = 0
    for (let at = 0; at < SLOTS; at++) {
      level += steps[at] as number
      own[at] = (own[at] as number) + level
    }
    steps.fill(0)
  }
  return {
    add: (at, amount) => addTo(own, Math.floor(at), amount),
    spread: (from, to, perSlot) => {
      const first = Math.floor(from)
      const last = Math.floor(to)
      if (first === last) {
        addTo(own, first, (to - from) * perSlot)
        return
      }
      addTo(own, first, (first + 1 - from) * perSlot)
      addTo(own, last, (to - last) * perSlot)
      addTo(steps, first + 1, perSlot)
      addTo(steps, last, -perSlot)
    },
    join: () => {
      settle()
      for (let at = 0; at < SLOTS / 2; at++) own[at] = (own[2 * at] as number) + (own[2 * at + 1] as number)
      own.fill(0, SLOTS / 2)
    },
    cells: (width) => {
      settle()
      return Float64Array.from({ length: CELLS }, (_, cell) => {
        const [from, to] = [cell * width, (cell + 1) * width]
        let sum = 0
        for (let at = Math.floor(from); at < to && at < SLOTS; at++) {
          sum += (own[at] ?? 0) * (Math.min(at + 1, to) - Math.max(at, from))
        }
        return sum < NOTHING ? 0 : sum
      })
    },
  }
}
