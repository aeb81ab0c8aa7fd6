import { TwospeedError } from '../../src/core/index.ts'

/** The coded error that the action throws, as `CODE: message`. */
export function faultOf(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    if (error instanceof TwospeedError) return `${error.code}: ${error.message}`
    throw error
  }
  throw new Error('nothing was thrown')
}
