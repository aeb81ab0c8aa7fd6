/** bench/model-probe.mjs, which knows no types since it runs in a browser too; `inNode` is it, here. */
export interface TimedModel {
  /** Milliseconds of one frontier of so many loads: the first of all, and the mean of each of 50 blocks later on. */
  timeFrontiers(): Promise<Frontiers>
  /** A search over so many configurations, of which `found` are not beaten. */
  timeSearch(): Promise<{ readonly considered: number; readonly found: number; readonly seconds: number }>
}

interface Frontiers {
  readonly loads: number
  readonly firstFrontierMs: number
  readonly frontierMs: readonly number[]
}

const probe = new URL('model-probe.mjs', import.meta.url).href

export const inNode = async (): Promise<TimedModel> => (await import(/* @vite-ignore */ probe)) as TimedModel
