import type { TokenTimes } from './sequence.ts'
import type { StepLog } from './step-log.ts'

/** The tokens of an answer that has ended, read from the engine's log of steps.  */
export class AnswerTimes implements TokenTimes {
  private readonly log: StepLog
  private spells: readonly number[] = []

  constructor(log: StepLog) {
    this.log = log
  }

  /** Of the answer with these spells from now on. */
  show(spells: readonly number[]): void {
    this.spells = spells
  }

  get firstTokenS(): number {
    const [promptS = -1, joined = 0] = this.spells
    return promptS >= 0 ? promptS : this.log.endS(joined + 1)
  }

  gapsUs(): readonly number[] {
    const { log, spells } = this
    const gaps: number[] = []
    let previous = -1
    const tell = (atS: number): void => {
      const us = Math.round(atS * 1e6)
      if (previous >= 0) gaps.push(us - previous)
      previous = us
    }
    for (let i = 0; i < spells.length; i += 3) {
      const promptS = spells[i] as number
      const last = spells[i + 2] as number
      if (promptS >= 0) tell(promptS)
      for (let label = (spells[i + 1] as number) + 1; label <= last; ) {
        const entry = log.entryOf(label)
        for (const end = log.lastOf(entry, last); label <= end; label++) tell(log.endIn(entry, label))
      }
    }
    return gaps
  }

  countBefore(instantUs: number): number {
    const { log, spells } = this
    let count = 0
    for (let i = 0; i < spells.length; i += 3) {
      const promptS = spells[i] as number
      const joined = spells[i + 1] as number
      if (promptS >= 0) {
        if (Math.round(promptS * 1e6) >= instantUs) return count
        count++
      }
      // Labels end in order: halve.
      let before = joined
      let notBefore = (spells[i + 2] as number) + 1
      while (notBefore - before > 1) {
        const middle = Math.floor((before + notBefore) / 2)
        if (Math.round(log.endS(middle) * 1e6) < instantUs) before = middle
        else notBefore = middle
      }
      count += before - joined
    }
    return count
  }
}
