import { figure, type Trough, type TroughWay } from '../../core/index.ts'
import { gpusOf, lasting, servers } from '../plan-words.ts'

type Told = Omit<Trough, 'sentence'>

/** Which way takes more of the batch and why, when it is done, and what need not be bought for it. */
export function troughSentence(trough: Told): string {
  const { product, whole, filled, better, own } = trough
  if (Math.max(whole.tokensPerDay, filled.tokensPerDay) === 0) {
    return `Nothing of ${product.name} goes into the trough: no replica is ever free for long enough, and beside others the floor allows none of it. It takes a fleet of its own, ${fleetWords(own)}.`
  }
  return [{ whole: wholeSentence, filled: filledSentence }[better](trough), ...doneSentences(trough)].join(' ')
}

function wholeSentence({ product, whole, filled, replicas, interactiveTokensPerDay }: Told): string {
  const free = `${figure(whole.replicas ?? 0)} of ${servers(replicas)} are free of users in the mean`
  const than =
    filled.concurrency === undefined
      ? `In replicas that users are in the floor allows none of it.`
      : `Filled into the places beside users, at most ${figure(filled.concurrency)} in flight in each replica, it would be ${tokensOf(filled)}: few in flight make few tokens.`
  return `${free}: with ${figure(whole.concurrency ?? 0)} of ${product.name} in flight in each of those, they make ${tokensOf(whole)} beside ${tokensWords(interactiveTokensPerDay)} for users. ${than}`
}

function filledSentence({ product, whole, filled, replicas, interactiveTokensPerDay }: Told): string {
  const places = `${figure(filled.inFlight ?? 0)} places in the mean, of ${figure(replicas * (filled.concurrency ?? 0))} that the floor allows in ${servers(replicas)}, are free of users`
  const than =
    whole.tokensPerDay === 0
      ? 'No replica is ever free of them for long enough.'
      : `Whole replicas set free would make ${tokensOf(whole)}, for places that are kept for chance would stay empty.`
  return `${places}: filled with ${product.name}, which leaves each stream ${figure(filled.tokensPerSecondPerUser ?? 0)} tok/s, they make ${tokensOf(filled)} beside ${tokensWords(interactiveTokensPerDay)} for users. ${than} Whoever comes to a full replica is one more in it, or waits, until one of ${product.name} ends: with ${figure((filled.inFlight ?? 0) / replicas)} of it in each, every ${lasting(filled.everyS ?? 0)}. That is arithmetic: a fleet that is filled so is not simulated.`
}

export function doneSentences({ requests, completionS, deadlineS, holds, moreReplicas, own }: Told): readonly string[] {
  const fleet = fleetWords(own)
  const done =
    requests === undefined || completionS === undefined
      ? undefined
      : `${figure(requests)} requests are done ${lasting(completionS)} into the day`
  if (deadlineS === undefined) {
    return [
      ...(done === undefined ? [] : [`${done}.`]),
      `A fleet of its own that makes as many tokens would be ${fleet}.`,
    ]
  }
  if (holds === true)
    return [`${done}, in time for ${lasting(deadlineS)}, and a fleet of its own, ${fleet}, is not needed.`]
  return [
    `${done} and miss the deadline of ${lasting(deadlineS)}: ${servers(moreReplicas ?? 0)} more for it alone ${moreReplicas === 1 ? 'makes' : 'make'} it, where a fleet of its own would be ${fleet}.`,
  ]
}

export const fleetWords = ({ replicas, gpus }: Told['own']): string =>
  gpus === undefined ? servers(replicas) : `${servers(replicas)}, ${gpusOf(gpus)}`

export function tokensWords(tokens: number): string {
  const [count, name] = tokens < 1e9 ? [tokens / 1e6, 'million'] : [tokens / 1e9, 'billion']
  return `${figure(count)} ${name} tokens a day`
}

export const tokensOf = ({ tokensPerDay }: TroughWay): string => tokensWords(tokensPerDay)
