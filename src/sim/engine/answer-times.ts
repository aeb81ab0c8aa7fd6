import { Seat } from './seat.ts'
import type { TokenTimes } from './sequence.ts'
import { StepLog } from './step-log.ts'

/** The tokens of an answer that has ended, read from the engine's log of steps: spell by spell, most often one. */
export class AnswerTimes implements TokenTimes {
  private seat: Seat = new Seat()
  private log: StepLog = new StepLog()

  /** Of this one from now on, whose last label is known. */
  show(seat: Seat, log: StepLog): void {
    this.seat = seat
    this.log = log
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
    for (let i = 0; i <= this.seat.spells.length; i += 3) {
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
    const { log } = this
    let count = 0
    for (let i = 0; i <= this.seat.spells.length; i += 3) {
      const promptS = this.promptS(i)
      const joined = this.joined(i)
      if (promptS >= 0) {
        if (Math.round(promptS * 1e6) >= instantUs) return count
        count++
      }
      // Labels end in order: halve.
      let before = joined
      let notBefore = this.last(i) + 1
      while (notBefore - before > 1) {
        const middle = Math.floor((before + notBefore) / 2)
        if (Math.round(log.endS(middle) * 1e6) < instantUs) before = middle
        else notBefore = middle
      }
      count += before - joined
    }
    return count
  }

  // Of the spell at i: one that is told, or the last.

  private promptS(i: number): number {
    return this.seat.spells[i] ?? this.seat.promptS
  }

  private joined(i: number): number {
    return this.seat.spells[i + 1] ?? this.seat.joined
  }

  private last(i: number): number {
    return this.seat.spells[i + 2] ?? this.seat.lastLabel
  }
}
