import { figure } from './figure.ts'

interface Asked {
  readonly tokensPerSecond?: number | undefined
  readonly tpotMs?: number | undefined
  readonly ttftMs?: number | undefined
}

/** Objectives in a sentence: `40 tok/s/user and a first token within 500 ms`. Empty where there are none. */
export function objectivesName({ tokensPerSecond: floor, tpotMs, ttftMs }: Asked): string {
  return [
    ...(floor === undefined ? [] : [`${figure(floor)} tok/s/user`]),
    ...(tpotMs === undefined ? [] : [`${figure(tpotMs)} ms a token`]),
    ...(ttftMs === undefined ? [] : [`a first token within ${figure(ttftMs)} ms`]),
  ].join(' and ')
}
