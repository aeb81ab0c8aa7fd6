import { NEVER, Seat } from './seat.ts'
import type { TokenTimes } from './sequence.ts'
import { StepLog } from './step-log.ts'

/** The tokens of an answer that has ended, or of what there is of it, read from the engine's log of steps: spell by spell, most often one. */
export class AnswerTimes implements TokenTimes {
  private seat: Seat = new Seat()
  private log: StepLog = new StepLog()
  /** No label after it, no prompt's step that ends at this instant or later, and no spell from this place on, has been. */
  private untilLabel = Number.POSITIVE_INFINITY
  private untilS = Number.POSITIVE_INFINITY
  private spellsEnd = 0

  /** Of this one from now on, whose last label is known. */
  show(seat: Seat, log: StepLog): void {
    this.seat = seat
    this.log = log
    this.untilLabel = Number.POSITIVE_INFINITY
    this.untilS = Number.POSITIVE_INFINITY
    this.spellsEnd = seat.spells.length
  }

  /** Of one that has not ended: what it had before `nowS`, of which `label` was the last step. `isMaking`: a spell of it goes on. */
  showSoFar(seat: Seat, log: StepLog, label: number, nowS: number, isMaking: boolean): void {
    this.show(seat, log)
    this.untilLabel = label
    this.untilS = nowS
    if (!isMaking) this.spellsEnd -= 3
  }

  get firstTokenS(): number {
    const promptS = this.promptS(0)
    return promptS >= 0 ? promptS : this.log.endS(this.joined(0) + 1)
  }

  gapsUs(): readonly number[] {
    const { log } = this
    const gaps: number[] = []
    let previous = -1
    const tell = (atS: number): void => {
      const us = Math.round(atS * 1e6)
      if (previous >= 0) gaps.push(us - previous)
      previous = us
    }
    for (let i = 0; i <= this.spellsEnd; i += 3) {
      const promptS = this.promptS(i)
      const last = this.last(i)
      if (promptS >= 0) tell(promptS)
      for (let label = this.joined(i) + 1; label <= last; ) {
        const entry = log.entryOf(label)
        for (const end = log.lastOf(entry, last); label <= end; label++) tell(log.endIn(entry, label))
      }
    }
    return gaps
  }

  countBefore(instantUs: number): number {
    let count = 0
    for (let i = 0; i <= this.spellsEnd; i += 3) {
      const promptS = this.promptS(i)
      const joined = this.joined(i)
      if (promptS >= 0) {
        if (Math.round(promptS * 1e6) >= instantUs) return count
        count++
      }
      count += this.lastBefore(instantUs, joined, this.last(i)) - joined
    }
    return count
  }

  /** The last label of those up to `last` that ends before an instant; `joined`, where none after it does. */
  private lastBefore(instantUs: number, joined: number, last: number): number {
    const { edge } = this.log
    // It is the edges of a window that are asked for, of one answer after the other.
    if (edge.us === instantUs) return Math.max(joined, Math.min(edge.label, last))
    // Labels end in order: halve.
    let before = joined
    let notBefore = last + 1
    while (notBefore - before > 1) {
      const middle = Math.floor((before + notBefore) / 2)
      if (Math.round(this.log.endS(middle) * 1e6) < instantUs) before = middle
      else notBefore = middle
    }
    // The one after it has ended too, and not before the instant.
    if (before > joined && before < last) {
      edge.us = instantUs
      edge.label = before
    }
    return before
  }

  // Of the spell at i: one that is told, or the last.

  private promptS(i: number): number {
    const promptS = this.seat.spells[i] ?? this.seat.promptS
    return promptS < this.untilS ? promptS : NEVER
  }

  private joined(i: number): number {
    return this.seat.spells[i + 1] ?? this.seat.joined
  }

  private last(i: number): number {
    return Math.min(this.seat.spells[i + 2] ?? this.seat.lastLabel, this.untilLabel)
  }
}
