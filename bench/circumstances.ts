/** What a client cannot help: who else ran, and how much of itself the host gave. */
import { coreSpeed, watchOthers } from './machine.ts'
import { CLIENT_CORE } from './processes.ts'

export interface Circumstances {
  /** What neither the client nor the server used of the machine meanwhile, in cores. */
  readonly othersCores: number
  /** Of the client's core, the slower of before and after; see `coreSpeed`. */
  readonly coreSpeed: number
}

/** `ours`: CPU seconds of client and server since. */
export function watchCircumstances(): (ours: number) => Circumstances {
  const before = coreSpeed(CLIENT_CORE)
  const others = watchOthers()
  return (ours) => ({ othersCores: others(ours), coreSpeed: Math.min(before, coreSpeed(CLIENT_CORE)) })
}

const MOST_OTHERS = 0.15
const LEAST_SPEED = 0.85
const TRIES = 3

let best = 0

/** True where somebody else, or a slow host, had a hand in it: slow is 15 % under the best that was seen. */
function disturbed({ othersCores, coreSpeed: speed }: Circumstances): boolean {
  best = Math.max(best, speed)
  return othersCores > MOST_OTHERS || speed < LEAST_SPEED * best
}

/** Takes a sample again where it was disturbed, at most twice: by what happened around it, never by what it shows. */
export async function undisturbed<S extends { readonly circumstances: Circumstances }>(
  take: () => Promise<S>,
): Promise<S> {
  for (let tries = 1; ; tries++) {
    const sample = await take()
    if (tries === TRIES || !disturbed(sample.circumstances)) return sample
    const { othersCores, coreSpeed: speed } = sample.circumstances
    process.stderr.write(
      `disturbed: others used ${othersCores.toFixed(2)} cores, the core ran at ${Math.round((100 * speed) / best)} %\n`,
    )
  }
}
