import type { StepLoad, StepTime } from '../step/step-time.ts'
import { AnswerTimes } from './answer-times.ts'
import { Composition } from './composition.ts'
import { empty } from './empty.ts'
import type { Engine, EngineListener, Segment } from './engine.ts'
import type { EnginePolicy } from './policy.ts'
import { Scheduler } from './scheduler.ts'
import { NEVER, NOBODY } from './seat.ts'
import type { Finished, Sequence, Unfinished } from './sequence.ts'
import { StepLog, stepEndingAt, stepEndS } from './step-log.ts'

export interface EngineOptions {
  readonly index: number
  readonly policy: EnginePolicy
  readonly stepTime: StepTime
  readonly listener: EngineListener
  /** How many groups the observer counts gaps by. */
  readonly groups: number
}

/** An engine whose cost does not grow with tokens: steps alike, from one that changes something to the next, are summed in closed form. */
export function createEngine(options: EngineOptions): Engine {
  return new RowEngine(options)
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

// What is filled, read and forgotten within one call is the same for all engines: so it stays near where a thousand of them take turns.

const load: StepLoad = {
  decoding: 0,
  decodeKvTokens: 0,
  completing: 0,
  completingKvTokens: 0,
  prefillTokens: 0,
  prefillContextTokens: 0,
}
const piece: Mutable<Segment> = {
  startS: 0,
  firstS: 0,
  growthS: 0,
  from: 0,
  steps: 0,
  beganS: NEVER,
  endS: NEVER,
  decodingByGroup: new Int32Array(0),
  decoding: 0,
  prefillTokens: 0,
  recomputedTokens: 0,
}
const times = new AnswerTimes()
const done: Mutable<Finished> = {
  sequence: NOBODY,
  admittedS: 0,
  firstTokenS: 0,
  lastTokenS: 0,
  times,
  preemptions: 0,
  cachedTokens: 0,
  recomputedTokens: 0,
}
const left: Mutable<Unfinished> = { sequence: NOBODY, outputTokens: 0, firstTokenS: NEVER, times }

/**
 * Steps go in *rows*. A row is one step, or as many decode steps as have the same sequences and are decided by no more than taking blocks:
 *
 *     advance:  the row is over → fold it, decide, time the next step → for how long is all alike? → nextS
 *
 * Where a step is decided at the end of the one before, that one is folded as it ends. Where it is decided as the one before begins
 * (asynchronous), that one is folded as it begins, and one more step is known ahead.
 */
class RowEngine implements Engine {
  readonly index: number
  nextS: number = Number.POSITIVE_INFINITY

  private readonly isAsynchronous: boolean
  /** Prompts that go before all decode have steps of their own, which those that decode are not in. */
  private readonly isMixed: boolean
  private readonly stepTime: StepTime
  private readonly listener: EngineListener
  private readonly scheduler: Scheduler
  private readonly log = new StepLog()

  /** The step that runs, or the first of the row that does, and the one that is decided after it. */
  private current: Composition
  private ahead: Composition
  private runs = false
  /** Steps of the row beyond its first, and for how many of them blocks are taken. */
  private further = 0
  private grown = 0
  /** When the first step of the row ends. */
  private firstEndS: number = NEVER

  /** The segment that the row is of: `from` is the label before its step 1, `straightTo` that of its last step at most. */
  private readonly segment = { startS: 0, firstS: 0, growthS: 0, from: 0, version: -1, straightTo: 0 }
  /** Gaps to tell when the row is over. */
  private readonly resuming: { readonly sequence: Sequence; readonly gapS: number }[] = []

  constructor({ index, policy, stepTime, listener, groups }: EngineOptions) {
    this.index = index
    this.isAsynchronous = policy.asynchronous
    this.isMixed = policy.prefill === 'chunked'
    this.stepTime = stepTime
    this.listener = listener
    this.scheduler = new Scheduler(policy, groups, this.log, (sequence, nowS) =>
      listener.preempted(this, sequence, nowS),
    )
    this.current = new Composition(groups)
    this.ahead = new Composition(groups)
  }

  get waiting(): number {
    return this.scheduler.queue.length
  }

  get running(): number {
    return this.scheduler.running
  }

  get blocks(): number {
    return this.scheduler.blocks.total
  }

  holds(sequence: Sequence): boolean {
    return this.scheduler.blocks.holds(sequence)
  }

  blocksHeld(nowS: number): number {
    if (this.blocks === Number.POSITIVE_INFINITY) return 0
    this.growUntil(nowS)
    return this.blocks - this.scheduler.blocks.free
  }

  cachedTokens(sequence: Sequence, nowS: number): number {
    this.growUntil(nowS)
    return this.scheduler.blocks.cachedTokens(sequence)
  }

  submit(sequence: Sequence, nowS: number): void {
    const mayBeAdmitted = this.scheduler.enqueue(sequence)
    if (!this.runs) this.nextS = Math.min(this.nextS, nowS)
    else if (mayBeAdmitted && this.further > 0) {
      // The row ends with its first step that ends at `nowS` or later.
      this.further = this.furtherAt(nowS)
      this.nextS = this.endOf(this.current.label + this.further)
    }
  }

  advance(): void {
    const nowS = this.nextS
    if (this.runs) this.endRow()
    if (this.isAsynchronous) {
      this.release(nowS)
      const { current } = this
      this.current = this.ahead
      this.ahead = current
      current.clear()
      if (this.current.isEmpty) this.decide(this.current, nowS)
    } else {
      this.scheduler.fold(this.current)
      this.release(nowS)
      this.decide(this.current, nowS)
    }
    this.runs = !this.current.isEmpty
    if (!this.runs) {
      this.nextS = Number.POSITIVE_INFINITY
      return
    }
    if (this.isAsynchronous) this.scheduler.fold(this.current)
    this.begin(this.current, nowS)
    if (this.isAsynchronous) this.scheduler.decide(this.ahead, nowS)
    this.extend()
  }

  stop(nowS: number, tell: (left: Unfinished) => void): void {
    const { scheduler, log, current } = this
    const ended = this.further > 0 ? this.furtherAt(nowS) : 0
    if (ended > 0) {
      this.further = ended - 1
      this.endRow()
    }
    // A step of prompts alone, which those that decode are not in, bears the label of the last that they were in.
    const isBetween = ended > 0 || (!this.isMixed && current.prefillTokens > 0)
    const label = isBetween ? current.label : current.label - 1
    for (const seat of scheduler.all()) {
      times.showSoFar(seat, log, label, nowS, seat.decodes || scheduler.leaving.includes(seat))
      left.sequence = seat.sequence
      left.outputTokens = times.countBefore(Number.POSITIVE_INFINITY)
      left.firstTokenS = left.outputTokens > 0 ? times.firstTokenS : NEVER
      tell(left)
    }
  }

  /** Decides until somebody is in the step, or nobody can be: all that ran may have given way, and then there is room. */
  private decide(step: Composition, nowS: number): void {
    do this.scheduler.decide(step, nowS)
    while (step.isEmpty && this.scheduler.mayAdmit)
  }

  private release(nowS: number): void {
    const { scheduler, listener, log } = this
    for (const seat of scheduler.leaving) {
      scheduler.release(seat)
      times.show(seat, log)
      done.sequence = seat.sequence
      done.admittedS = seat.admittedS
      done.firstTokenS = times.firstTokenS
      done.lastTokenS = nowS
      done.preemptions = seat.preemptions
      done.cachedTokens = seat.cachedTokens
      done.recomputedTokens = seat.recomputedTokens
      listener.finished(this, done)
    }
    empty(scheduler.leaving)
  }

  /** Times the first step of a row. */
  private begin(step: Composition, nowS: number): void {
    const { segment, log } = this
    const isDecode = step.prefillTokens === 0
    if (!isDecode || step.version !== segment.version || step.label > segment.straightTo) {
      this.beginSegment(step, isDecode, nowS)
      if (isDecode || this.isMixed) {
        if (log.isFull) log.trim(this.scheduler.oldestLabel(segment.from))
        log.push(segment.from, nowS, segment.firstS, segment.growthS)
      }
    }
    this.further = 0
    this.grown = 0
    const endS = this.endOf(step.label)
    this.firstEndS = endS
    this.nextS = endS
    for (const { sequence, joined, promptS, outageS } of step.irregular) {
      const beforeS = step.label - 1 > joined ? log.endS(step.label - 1) : promptS >= 0 ? promptS : outageS
      if (beforeS >= 0) this.resuming.push({ sequence, gapS: endS - beforeS })
    }
    for (const seat of step.completing) {
      if (seat.outageS >= 0) this.resuming.push({ sequence: seat.sequence, gapS: endS - seat.outageS })
      seat.promptS = endS
    }
  }

  private beginSegment(step: Composition, isDecode: boolean, nowS: number): void {
    const { segment, stepTime } = this
    const { set } = this.scheduler
    load.decoding = step.decoding
    load.decodeKvTokens = step.decodeKvTokens
    load.completing = step.completing.length
    load.completingKvTokens = step.completingKvTokens
    load.prefillTokens = step.prefillTokens
    load.prefillContextTokens = isDecode ? 0 : step.positions / step.prefillTokens
    segment.startS = nowS
    segment.firstS = stepTime.seconds(load)
    segment.growthS = 0
    segment.from = step.label - 1
    segment.version = isDecode ? step.version : -1
    segment.straightTo = step.label
    if (!isDecode) return
    load.decodeKvTokens = step.decodeKvTokens + step.decoding
    segment.growthS = stepTime.seconds(load) - segment.firstS
    if (step.version !== set.version) return
    load.decodeKvTokens = step.decodeKvTokens
    segment.straightTo = segment.from + stepTime.straightFor(load, set.finish.next - segment.from)
  }

  /** Makes the row as long as nothing is to be decided in it but the taking of blocks. */
  private extend(): void {
    const { current, ahead, segment, scheduler } = this
    const { set } = scheduler
    if (!isPlain(current) || current.version !== set.version) return
    if (this.isAsynchronous && (!isPlain(ahead) || ahead.isEmpty)) return
    const lastLabel = this.isAsynchronous ? set.finish.next - 1 : set.finish.next
    const most = Math.min(lastLabel, segment.straightTo) - current.label
    if (most <= 0) return
    this.further = scheduler.decisionsAlike(most)
    if (this.further > 0) this.nextS = this.endOf(current.label + this.further)
  }

  private endOf(label: number): number {
    const { startS, firstS, growthS, from } = this.segment
    return stepEndS(startS, firstS, growthS, label - from)
  }

  /** Steps of the row beyond its first, up to the one that runs at an instant or ends at it. */
  private furtherAt(nowS: number): number {
    const j = this.current.label - this.segment.from
    return stepEndingAt(this.segment, nowS, j, j + this.further) - j
  }

  /** Takes the blocks of the row's decisions before an instant. */
  private growUntil(nowS: number): void {
    if (this.further <= this.grown || nowS <= this.firstEndS) return
    // Asked most often at the row's end.
    this.grow(nowS === this.nextS ? this.further : this.furtherAt(nowS))
  }

  private grow(further: number): void {
    if (further <= this.grown) return
    const { blocks, set, decided } = this.scheduler
    blocks.growOn(set, decided + this.grown, further - this.grown)
    this.grown = further
  }

  /** The row is over: tells it. */
  private endRow(): void {
    const { current, ahead, segment, further, listener, resuming } = this
    piece.startS = segment.startS
    piece.firstS = segment.firstS
    piece.growthS = segment.growthS
    piece.from = current.label - segment.from - 1
    piece.steps = 1 + further
    piece.beganS = this.endOf(current.label - 1)
    piece.endS = this.endOf(current.label + further)
    piece.decodingByGroup = current.byGroup
    piece.decoding = current.decoding
    piece.prefillTokens = current.prefillTokens
    piece.recomputedTokens = current.recomputedTokens
    listener.segment(this, piece)
    if (resuming.length > 0) {
      for (const { sequence, gapS } of resuming) listener.resumed(this, sequence, gapS)
      empty(resuming)
    }
    if (further === 0) return
    this.grow(further)
    this.scheduler.pass(further)
    current.pass(further)
    ahead.pass(further)
    this.further = 0
  }
}

/** Steps like it may follow. */
function isPlain(step: Composition): boolean {
  return step.prefillTokens === 0 && step.irregular.length === 0
}
