import type { Composition } from './composition.ts'
import { DecodeSet } from './decode-set.ts'
import { empty } from './empty.ts'
import { KvBlocks } from './kv-blocks.ts'
import type { EnginePolicy } from './policy.ts'
import { RunningList } from './running-list.ts'
import { NEVER, Seat } from './seat.ts'
import type { Sequence } from './sequence.ts'
import type { StepLog } from './step-log.ts'
import { ArrivalQueue, outranks, PriorityQueue, type WaitingQueue } from './waiting-queue.ts'

/**
 * Decides what each step has in it, as vLLM V1 does: first those that run go on, and where blocks run out somebody gives way; then those that
 * wait are admitted in the room that is left, the head never overtaken. It knows no clock but the instants that it is told.
 *
 *     waiting → running: partial → (fold) decodes → (fold) leaving → gone
 *        ↑________________________________| gives way
 */
export class Scheduler {
  readonly queue: WaitingQueue
  readonly set: DecodeSet
  /** Whose last token comes in the step that was folded last: they keep seat and blocks until it ends. */
  readonly leaving: Seat[] = []
  readonly blocks: KvBlocks
  /** Sequences with a seat. */
  running = 0
  /** D: decode steps decided. */
  decided = 0
  /** Something gave way in the last decision, so that it admitted nobody: the next one may. */
  mayAdmit = false

  private readonly policy: EnginePolicy
  private readonly log: StepLog
  private readonly onPreempted: (sequence: Sequence, nowS: number) => void
  private readonly mostRunning: number
  private readonly list = new RunningList()
  /** Seats of nobody. */
  private readonly spare: Seat[] = []
  private privateIds = 0
  /** Those that gave way and wait. */
  private readonly outside = new Set<Seat>()
  /** Whose prompt is read in part: always the last of `running`, since the budget ended with it. */
  private partial: Seat | undefined = undefined
  /** Who stands out of the step being decided, and who stood out of the one before. */
  private readonly delayed: Seat[] = []
  private readonly stalled: Seat[] = []
  /** Steps decided, and the last of them that those who decode were in. */
  private steps = 0
  private decodeStep = 0

  constructor(
    policy: EnginePolicy,
    groups: number,
    log: StepLog,
    onPreempted: (sequence: Sequence, nowS: number) => void,
  ) {
    this.policy = policy
    this.log = log
    this.onPreempted = onPreempted
    this.mostRunning = Math.min(policy.maxNumSeqs, policy.maxBatchedTokens)
    this.blocks = new KvBlocks(policy)
    this.queue = policy.admission === 'priority' ? new PriorityQueue() : new ArrivalQueue()
    this.set = new DecodeSet(policy.blockTokens, groups, policy.prefixCache)
  }

  /** Whether it may be admitted by the next decision. */
  enqueue(sequence: Sequence): boolean {
    const seat = this.spare.pop() ?? new Seat()
    seat.reset(sequence, sequence.ownId ?? -1 - this.privateIds++)
    this.queue.add(seat)
    return this.queue.head === seat && this.running < this.mostRunning
  }

  /** For how many further decisions, `most` at most, nothing is to be done but take blocks for those that decode. */
  decisionsAlike(most: number): number {
    const { blocks, queue } = this
    if (this.leaving.length > 0 || this.mayAdmit) return 0
    if (queue.head !== undefined && this.running < this.mostRunning && blocks.mayHitSoon(queue.head, this.list.first))
      return 0
    return blocks.grow ? this.set.stepsWithin(this.decided, blocks.free, most) : most
  }

  /** So many decisions alike are made. */
  pass(steps: number): void {
    this.decided += steps
    this.steps += steps
    this.decodeStep = this.steps
  }

  /** The first label of which any answer in progress may still ask, less one. */
  oldestLabel(most: number): number {
    let oldest = most
    for (let seat = this.list.first; seat !== undefined; seat = seat.after) oldest = Math.min(oldest, seat.firstLabel)
    for (const seat of this.leaving) oldest = Math.min(oldest, seat.firstLabel)
    for (const seat of this.outside) oldest = Math.min(oldest, seat.firstLabel)
    return oldest
  }

  /** Takes a step, the last decided, as done: all in it have their token, and who has all tokens leaves. */
  fold(step: Composition): void {
    const { set, leaving, decided } = this
    while (set.finish.next <= decided) {
      const seat = set.finish.first as Seat
      set.remove(seat)
      this.leave(seat)
    }
    for (const seat of step.completing) {
      seat.made++
      seat.joined = decided
      seat.joinedStep = step.step
      seat.lastLabel = decided
      if (seat.made === seat.sequence.outputTokens) this.leave(seat)
      else set.add(seat, decided)
    }
    if (leaving.length > 1) sortById(leaving)
  }

  private leave(seat: Seat): void {
    this.list.remove(seat)
    this.leaving.push(seat)
  }

  /** Its last step is over. The seat may be given to another with the next request. */
  release(seat: Seat): void {
    this.running--
    this.blocks.giveBack(seat, this.blocks.mostTokens(seat.sequence))
    this.spare.push(seat)
  }

  /** All that are here, in order of arrival. */
  all(): readonly Seat[] {
    const seats = [...this.leaving, ...this.queue.all()]
    for (let seat = this.list.first; seat !== undefined; seat = seat.after) seats.push(seat)
    return seats.sort((a, b) => a.sequence.id - b.sequence.id)
  }

  // ---- Deciding ----

  decide(step: Composition, nowS: number): void {
    step.clear()
    this.mayAdmit = false
    if (this.policy.prefill === 'first' && this.readWholePrompts(step, nowS)) {
      step.label = this.decided
      step.step = ++this.steps
      return
    }
    const gaveWay = this.goOn(step, nowS)
    if (gaveWay) this.mayAdmit = true
    else this.admit(step, nowS)
    const { set, delayed, decided } = this
    step.decoding = set.count - delayed.length
    step.decodeKvTokens = set.kvTokens(decided)
    for (const seat of delayed) step.decodeKvTokens -= seat.base + decided
    if (!step.isEmpty) this.seal(step)
    else if (delayed.length > 0) delayed.length = 0
  }

  /** Rule 1. Whether anything gave way. */
  private goOn(step: Composition, nowS: number): boolean {
    const { set, blocks, policy, delayed, decided } = this
    const before = this.running
    let isOver = false
    if (blocks.grow && set.count > 0) {
      if (set.blocksNeeded(decided, 1) > blocks.free) isOver = this.growWhileRoom(nowS)
      else blocks.takeFor(set, decided)
    }
    const seat = this.partial
    if (seat !== undefined && !isOver) this.readOn(step, seat, policy.maxBatchedTokens - set.count, nowS)
    blocks.fillFor(set, decided, delayed)
    if (seat !== undefined) blocks.fill(seat, seat.computed)
    return this.running < before
  }

  /** Not all blocks are there: one after the other. Whether the loop ended with one that gave way itself; who is after it stands out of the step. */
  private growWhileRoom(nowS: number): boolean {
    const { set, decided } = this
    for (let seat = this.list.first; seat !== undefined; seat = seat.after) {
      if (!seat.decodes || !set.needs(seat, decided)) continue
      while (this.blocks.free < 1) {
        const victim = this.victim()
        const next = seat.after
        this.giveWay(victim, victim.order < seat.order, nowS)
        if (victim !== seat) continue
        for (let other = next; other !== undefined; other = other.after) if (other.decodes) this.delayed.push(other)
        return true
      }
      this.blocks.take(seat, 1)
    }
    return false
  }

  /** The next chunk of the prompt that is read in part. */
  private readOn(step: Composition, seat: Seat, budget: number, nowS: number): void {
    const { blocks, policy } = this
    const tokens = Math.min(seat.target - seat.computed, budget)
    const needed = policy.kv === 'reserve' ? 0 : blocks.of(seat.computed + tokens) - blocks.of(seat.computed)
    while (blocks.free < needed) {
      const victim = this.victim()
      this.giveWay(victim, true, nowS)
      if (victim === seat) return
    }
    blocks.take(seat, needed)
    step.read(seat, tokens)
    if (seat.computed === seat.target) this.partial = undefined
  }

  /** Who gives way: the last of `running`, or the one that all others outrank. */
  private victim(): Seat {
    let victim = this.list.last as Seat
    if (this.policy.admission === 'fcfs') return victim
    for (let seat = victim.before; seat !== undefined; seat = seat.before) if (outranks(victim, seat)) victim = seat
    return victim
  }

  /** Its blocks are free, and what it has made it keeps. `isGiven`: it has its block of this decision, if it needs one. */
  private giveWay(seat: Seat, isGiven: boolean, nowS: number): void {
    const { decided } = this
    let computed = seat.computed
    if (seat.decodes) {
      computed = seat.base + decided - 1
      seat.made = computed + 1 - seat.sequence.promptTokens
      this.blocks.giveBack(seat, isGiven ? computed + 1 : computed)
      this.set.remove(seat)
      this.endSpell(seat)
    } else {
      this.blocks.giveBack(seat, computed)
      this.partial = undefined
    }
    seat.lost = Math.max(seat.lost, computed)
    seat.computed = 0
    seat.preemptions++
    this.list.remove(seat)
    this.running--
    this.queue.putBack(seat)
    this.outside.add(seat)
    this.onPreempted(seat.sequence, nowS)
  }

  /** It is in the steps up to D, and not in the next. */
  private endSpell(seat: Seat): void {
    const { decided, log } = this
    if (decided > seat.joined) seat.outageS = log.endS(decided)
    else if (seat.promptS >= 0) seat.outageS = seat.promptS
    else return
    seat.spells.push(seat.promptS, seat.joined, decided)
    seat.promptS = NEVER
  }

  /** Rule 2: admits those that wait, in the room that is left. Where prompts go first, those whose prompt is there already. */
  private admit(step: Composition, nowS: number): void {
    const { queue, policy, set, blocks } = this
    let budget = policy.maxBatchedTokens - set.count - step.prefillTokens
    for (let seat = queue.head; seat !== undefined; seat = queue.head) {
      if (this.running >= this.mostRunning || budget <= 0) return
      const { target } = seat
      const isPrefilled = comesPrefilled(seat)
      if (policy.prefill === 'first' && !isPrefilled) return
      const hit = blocks.hitTokens(seat)
      const from = isPrefilled ? target - 1 : hit
      const tokens = Math.min(target - from, budget)
      if (!blocks.admit(seat, from + tokens, policy.wholePrompt ? target : from + tokens)) return
      this.seatHead(seat, hit, nowS)
      budget -= tokens
      if (isPrefilled) {
        seat.joined = this.decided
        set.add(seat, this.decided)
        step.irregular.push(seat)
      } else {
        seat.computed = from
        step.read(seat, tokens)
        if (seat.computed < target) this.partial = seat
      }
      blocks.fill(seat, from + tokens)
    }
  }

  /** Prompts before all decode: as many whole ones as the budget and the blocks hold; one above the budget goes alone. */
  private readWholePrompts(step: Composition, nowS: number): boolean {
    const { queue, policy, blocks } = this
    for (let seat = queue.head; seat !== undefined; seat = queue.head) {
      const { target } = seat
      if (this.running >= this.mostRunning || comesPrefilled(seat)) break
      const from = blocks.hitTokens(seat)
      if (step.prefillTokens > 0 && step.prefillTokens + target - from > policy.maxBatchedTokens) break
      if (!blocks.admit(seat, target, target)) break
      this.seatHead(seat, from, nowS)
      seat.computed = from
      step.read(seat, target - from)
      blocks.fill(seat, target)
    }
    return step.prefillTokens > 0
  }

  /** The head of those that wait has its blocks, and gets its seat. */
  private seatHead(seat: Seat, hitTokens: number, nowS: number): void {
    this.queue.shift()
    this.list.add(seat)
    this.running++
    if (seat.preemptions > 0) this.outside.delete(seat)
    if (seat.admittedS >= 0) return
    seat.admittedS = nowS
    seat.cachedTokens = hitTokens
  }

  /** The step is as it will be: numbers it, and tells whose gaps are its time. */
  private seal(step: Composition): void {
    const { set, delayed, stalled, policy } = this
    const previous = this.steps++
    step.step = this.steps
    if (policy.prefill === 'first' && this.decodeStep < previous) this.stallAll(previous, step)
    step.version = set.version
    for (let i = 0; i < step.byGroup.length; i++) step.byGroup[i] = set.byGroup[i] as number
    if (stalled.length > 0) {
      for (const seat of stalled) {
        if (seat.decodes && !delayed.includes(seat)) step.irregular.push(seat)
        seat.isStalled = false
      }
      empty(stalled)
    }
    for (const seat of step.irregular) step.leaveOut(seat)
    if (delayed.length > 0) this.delayAll(step)
    this.decided++
    this.decodeStep = this.steps
    step.label = this.decided
  }

  /** Those after one that gave way itself are not in the step. */
  private delayAll(step: Composition): void {
    const { set, delayed, stalled } = this
    step.version = ++set.version
    for (const seat of delayed) {
      step.leaveOut(seat)
      this.endSpell(seat)
      seat.joined = this.decided + 1
      set.delay(seat)
      seat.isStalled = true
      stalled.push(seat)
    }
    empty(delayed)
  }

  /** Steps of prompts alone went before: all but those of the last one have waited. */
  private stallAll(previous: number, step: Composition): void {
    for (let seat = this.list.first; seat !== undefined; seat = seat.after) {
      if (!seat.decodes || seat.joinedStep === previous || seat.isStalled || step.irregular.includes(seat)) continue
      this.stalled.push(seat)
    }
  }
}

/** In place: few leave at once, and a list's own sort copies it. */
function sortById(seats: Seat[]): void {
  for (let i = 1; i < seats.length; i++) {
    const seat = seats[i] as Seat
    let at = i
    for (; at > 0 && (seats[at - 1] as Seat).sequence.id > seat.sequence.id; at--) seats[at] = seats[at - 1] as Seat
    seats[at] = seat
  }
}

/** Its prompt is here already: it came over a link, and has not given way since. */
function comesPrefilled(seat: Seat): boolean {
  return seat.sequence.isPrefilled === true && seat.admittedS < 0
}
