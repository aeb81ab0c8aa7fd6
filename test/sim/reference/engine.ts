import type { Engine, EngineListener } from '../../../src/sim/engine/engine.ts'
import type { EnginePolicy } from '../../../src/sim/engine/policy.ts'
import type { TokenTimes } from '../../../src/sim/engine/sequence.ts'
import type { StepLoad, StepTime } from '../../../src/sim/step/step-time.ts'
import { type Block, createBlocks } from './blocks.ts'
import { byPriority, createEntry, type Entry, isEnding, isHandedOver, keysOf, targetOf } from './entry.ts'

/** What one sequence does in a step. */
interface Share {
  readonly entry: Entry
  readonly tokens: number
  /** Tokens in the cache before it, and those that it must have there to make a token. */
  readonly before: number
  readonly target: number
  readonly isChunk: boolean
  readonly makesToken: boolean
  readonly isLast: boolean
  readonly recomputedTokens: number
}

interface Step {
  readonly shares: readonly Share[]
  readonly number: number
  readonly endS: number
  readonly segment: Segment
}

/** Steps that only decode, in a row, with the same sequences; or one step that reads prompts. */
interface Segment {
  readonly startS: number
  readonly firstS: number
  readonly growthS: number
  /** How many steps it may have. */
  readonly most: number
  readonly steps: number
}

/** When its step j ends. */
const endOf = ({ startS, firstS, growthS }: Segment, j: number): number =>
  startS + j * firstS + (growthS * j * (j - 1)) / 2

/**
 * An engine that takes every step by itself, with lists of sequences and an object for every block: slow, and written to be read.
 * The engine of `src/sim` has to tell the same to the last bit.
 */
export function createReferenceEngine(options: {
  readonly index: number
  readonly policy: EnginePolicy
  readonly stepTime: StepTime
  readonly listener: EngineListener
  readonly groups: number
}): Engine {
  const { policy, stepTime, listener } = options
  const { blockTokens, maxBatchedTokens } = policy
  const mostRunning = Math.min(policy.maxNumSeqs, maxBatchedTokens)
  const total = Math.floor(policy.kvTokens / blockTokens)
  const blocksOf = (tokens: number): number => Math.ceil(tokens / blockTokens)
  const cache = createBlocks(total)

  let running: Entry[] = []
  let waiting: Entry[] = []
  let step: Step | undefined
  /** Asynchronous: what the step after has been decided to be. */
  let ahead: readonly Share[] = []
  let steps = 0
  let nextS = Number.POSITIVE_INFINITY

  // ---- one decision -------------------------------------------------------------------------------------------------------

  /** What is decided so far. */
  let shares: Share[] = []
  let budget = 0
  let didPreempt = false

  const give = (entry: Entry, tokens: number): void => {
    const target = targetOf(entry)
    const before = entry.computed
    const isChunk = entry.isReading
    const makesToken = before + tokens === target
    entry.computed += tokens
    budget -= tokens
    if (makesToken) {
      entry.made += 1
      entry.isReading = false
    }
    const recomputedTokens = isChunk ? Math.max(0, Math.min(entry.computed, entry.reached) - before) : 0
    shares.push({ entry, tokens, before, target, isChunk, makesToken, isLast: isEnding(entry), recomputedTokens })
  }

  const giveBack = (share: Share): void => {
    shares = shares.filter((other) => other !== share)
    budget += share.tokens
    share.entry.computed = share.before
    if (share.makesToken) share.entry.made -= 1
  }

  const preempt = (victim: Entry, nowS: number): void => {
    const given = shares.find(({ entry }) => entry === victim)
    if (given !== undefined) giveBack(given)
    running = running.filter((entry) => entry !== victim)
    cache.release(victim.blocks)
    victim.blocks = []
    victim.reached = Math.max(victim.reached, victim.computed)
    victim.computed = 0
    victim.isReading = true
    victim.preemptions += 1
    waiting = [victim, ...waiting]
    if (policy.admission === 'priority') waiting.sort((a, b) => byPriority(a.sequence, b.sequence))
    didPreempt = true
    listener.preempted(engine, victim.sequence, nowS)
  }

  /** Who gives way: the last that was admitted, or the last by priority. Never one whose last token is on its way, in a step before. */
  const victimOf = (): Entry => {
    const all = running.filter((entry) => !isEnding(entry) || shares.some((share) => share.entry === entry))
    if (policy.admission === 'priority') all.sort((a, b) => byPriority(a.sequence, b.sequence))
    const last = all.at(-1)
    if (last === undefined) throw new Error('nobody can give way')
    return last
  }

  /** The blocks that `entry` needs to have `tokens` more in the cache; false where it had to give way itself. */
  const makeRoom = (entry: Entry, tokens: number, nowS: number): boolean => {
    const missing = (): number => Math.max(0, blocksOf(entry.computed + tokens) - entry.blocks.length)
    while (missing() > cache.free()) {
      const victim = victimOf()
      preempt(victim, nowS)
      if (victim === entry) return false
    }
    entry.blocks.push(...cache.take(missing()))
    return true
  }

  /** Blocks that are full from now on can be found by others. */
  const nameBlocks = (entry: Entry, from: number): void => {
    if (!policy.prefixCache) return
    for (let i = Math.floor(from / blockTokens); i < Math.floor(entry.computed / blockTokens); i++) {
      const block = entry.blocks[i]
      if (block === undefined) throw new Error('a token has no block')
      cache.name(block, entry.keyOf(i))
    }
  }

  /** Rule 1: those that run get their tokens. */
  const serveRunning = (nowS: number): void => {
    for (const entry of [...running]) {
      if (budget === 0) break
      if (isEnding(entry) || !running.includes(entry)) continue
      const tokens = Math.min(targetOf(entry) - entry.computed, budget)
      if (!makeRoom(entry, tokens, nowS)) break
      give(entry, tokens)
    }
    for (const { entry, before } of shares) nameBlocks(entry, before)
  }

  const findPrefix = (keyOf: (block: number) => string, target: number): Block[] => {
    const most = policy.prefixCache ? Math.floor((target - 1) / blockTokens) : 0
    return cache.find(keyOf, most)
  }

  const unread = (entry: Entry): number =>
    isHandedOver(entry) ? 1 : targetOf(entry) - findPrefix(entry.keyOf, targetOf(entry)).length * blockTokens

  /** Rule 2: the head of the queue gets a seat, its blocks and its first tokens; false where there is no room. */
  const admitHead = (most: number, nowS: number): boolean => {
    const [head, ...rest] = waiting
    if (head === undefined || running.length >= mostRunning) return false
    const { promptTokens, outputTokens } = head.sequence
    const target = targetOf(head)
    const hits = findPrefix(head.keyOf, target)
    const found = hits.length * blockTokens
    const tokens = Math.min(unread(head), most)
    const end = isHandedOver(head) ? target : found + tokens
    const whole = promptTokens + outputTokens
    const held = blocksOf(policy.kv === 'reserve' ? whole : end) - hits.length
    const needed = blocksOf(policy.kv === 'reserve' ? whole : policy.wholePrompt ? target : end) - hits.length
    if (needed > cache.free() - hits.filter(({ holders }) => holders === 0).length) return false

    for (const block of hits) cache.share(block)
    head.blocks = [...hits, ...cache.take(held)]
    head.computed = end - tokens
    if (isHandedOver(head)) head.isReading = false
    if (head.admittedS === undefined) {
      head.admittedS = nowS
      head.cachedTokens = found
    }
    waiting = rest
    running.push(head)
    give(head, tokens)
    nameBlocks(head, found)
    return true
  }

  const decideChunked = (nowS: number): void => {
    serveRunning(nowS)
    if (didPreempt) return
    while (budget > 0 && admitHead(budget, nowS));
  }

  const decidePromptsFirst = (nowS: number): void => {
    const next = (): number => {
      const [head] = waiting
      if (head === undefined || isHandedOver(head)) return 0
      const tokens = unread(head)
      return tokens <= budget || shares.length === 0 ? tokens : 0
    }
    while (next() > 0 && admitHead(next(), nowS));
    if (shares.length > 0) return
    serveRunning(nowS)
    if (didPreempt) return
    while (budget > 0 && waiting[0] !== undefined && isHandedOver(waiting[0]) && admitHead(1, nowS));
  }

  const decide = (nowS: number): readonly Share[] => {
    shares = []
    budget = maxBatchedTokens
    didPreempt = false
    if (policy.prefill === 'first') decidePromptsFirst(nowS)
    else decideChunked(nowS)
    return shares
  }

  /** Decides anew while all that came of it was that somebody gave way. */
  const decideAtOnce = (nowS: number): readonly Share[] => {
    let decided = decide(nowS)
    while (decided.length === 0 && didPreempt) decided = decide(nowS)
    return decided
  }

  // ---- steps --------------------------------------------------------------------------------------------------------------

  const loadOf = (all: readonly Share[]): StepLoad => {
    const decoding = all.filter(({ isChunk }) => !isChunk)
    const chunks = all.filter(({ isChunk }) => isChunk)
    const completing = chunks.filter(({ makesToken }) => makesToken)
    const prefillTokens = sum(chunks.map(({ tokens }) => tokens))
    const places = sum(chunks.map(({ tokens, before }) => tokens * (before + tokens / 2)))
    return {
      decoding: decoding.length,
      decodeKvTokens: sum(decoding.map(({ target }) => target)),
      completing: completing.length,
      completingKvTokens: sum(completing.map(({ target }) => target)),
      prefillTokens,
      prefillContextTokens: prefillTokens === 0 ? 0 : places / prefillTokens,
    }
  }

  const isSameSet = (a: readonly Share[], b: readonly Share[]): boolean =>
    a.length === b.length && a.every(({ entry }) => b.some((other) => other.entry === entry))

  const segmentOf = (all: readonly Share[], nowS: number, before: Step | undefined): Segment => {
    const load = loadOf(all)
    if (load.prefillTokens > 0) {
      return { startS: nowS, firstS: stepTime.seconds({ ...load }), growthS: 0, most: 1, steps: 1 }
    }
    if (before !== undefined && before.segment.steps < before.segment.most && isSameSet(all, before.shares)) {
      return { ...before.segment, steps: before.segment.steps + 1 }
    }
    const firstS = stepTime.seconds({ ...load })
    const later = { ...load, decodeKvTokens: load.decodeKvTokens + load.decoding }
    const left = all.map(({ entry: { sequence }, target }) => sequence.promptTokens + sequence.outputTokens - target)
    const most = stepTime.straightFor({ ...load }, Math.min(...left))
    return { startS: nowS, firstS, growthS: stepTime.seconds(later) - firstS, most, steps: 1 }
  }

  const begin = (all: readonly Share[], nowS: number, before: Step | undefined): void => {
    if (all.length === 0) {
      if (waiting.length + running.length > 0) throw new Error('the engine is idle though somebody waits')
      step = undefined
      nextS = Number.POSITIVE_INFINITY
      return
    }
    for (const { entry, recomputedTokens } of all) entry.recomputedTokens += recomputedTokens
    const segment = segmentOf(all, nowS, before)
    const endS = endOf(segment, segment.steps)
    steps += 1
    step = { shares: all, number: steps, endS, segment }
    nextS = endS
  }

  const beginNext = (nowS: number, before: Step | undefined): void => {
    begin(ahead.length > 0 ? ahead : decideAtOnce(nowS), nowS, before)
    ahead = policy.asynchronous && step !== undefined ? decide(nowS) : []
  }

  const end = ({ shares: all, number, endS, segment }: Step): void => {
    const gapIsStep = ({ entry, isChunk }: Share): boolean => !isChunk && entry.lastStep === number - 1
    const decodingByGroup = new Int32Array(options.groups)
    for (const share of all) if (gapIsStep(share)) decodingByGroup[share.entry.sequence.group]! += 1
    const { decoding, prefillTokens } = loadOf(all)
    const recomputedTokens = sum(all.map((share) => share.recomputedTokens))
    listener.segment(engine, {
      ...segment,
      from: segment.steps - 1,
      steps: 1,
      beganS: endOf(segment, segment.steps - 1),
      endS,
      decodingByGroup,
      decoding,
      prefillTokens,
      recomputedTokens,
    })
    for (const share of all.filter(({ makesToken }) => makesToken)) {
      const { entry } = share
      const beforeS = entry.tokenS.at(-1)
      if (beforeS !== undefined && !gapIsStep(share)) listener.resumed(engine, entry.sequence, endS - beforeS)
      entry.tokenS.push(endS)
      entry.lastStep = number
    }
    const ended = all.filter(({ isLast }) => isLast).map(({ entry }) => entry)
    ended.sort((a, b) => a.sequence.id - b.sequence.id)
    for (const entry of ended) {
      running = running.filter((other) => other !== entry)
      cache.release(entry.blocks)
      tellEnd(entry)
    }
  }

  const tellEnd = (entry: Entry): void => {
    const { sequence, admittedS, tokenS, preemptions, cachedTokens, recomputedTokens } = entry
    const firstTokenS = tokenS.at(0)
    const lastTokenS = tokenS.at(-1)
    if (admittedS === undefined || firstTokenS === undefined || lastTokenS === undefined) throw new Error('no token')
    const times = timesOf(tokenS)
    listener.finished(engine, {
      sequence,
      admittedS,
      firstTokenS,
      lastTokenS,
      times,
      preemptions,
      cachedTokens,
      recomputedTokens,
    })
  }

  const engine: Engine = {
    index: options.index,
    get nextS() {
      return nextS
    },
    submit(sequence, nowS) {
      waiting.push(createEntry(sequence, blockTokens))
      if (policy.admission === 'priority') waiting.sort((a, b) => byPriority(a.sequence, b.sequence))
      if (step === undefined) nextS = nowS
    },
    advance() {
      const nowS = nextS
      const before = step
      if (before !== undefined) end(before)
      beginNext(nowS, before)
    },
    stop: (_, tell) => {
      const all = [...waiting, ...running].sort((a, b) => a.sequence.id - b.sequence.id)
      for (const { sequence, tokenS } of all) {
        const firstTokenS = tokenS.at(0) ?? Number.NEGATIVE_INFINITY
        tell({ sequence, outputTokens: tokenS.length, firstTokenS, times: timesOf(tokenS) })
      }
    },
    holds: ({ promptTokens, outputTokens }) =>
      blocksOf(promptTokens + outputTokens - (policy.kv === 'reserve' ? 0 : 1)) <= total,
    cachedTokens: (sequence) => findPrefix(keysOf(sequence, blockTokens), sequence.promptTokens).length * blockTokens,
    get waiting() {
      return waiting.length
    },
    get running() {
      return running.length
    },
    blocksHeld: () => (total === Number.POSITIVE_INFINITY ? 0 : cache.held()),
    blocks: total,
  }
  return engine
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

function timesOf(tokenS: readonly number[]): TokenTimes {
  const us = tokenS.map((atS) => Math.round(atS * 1e6))
  return {
    gapsUs: () => us.slice(1).map((at, i) => at - us[i]!),
    countBefore: (instantUs) => us.filter((at) => at < instantUs).length,
  }
}
