/** The simulator in a browser's worker. */
import { frontiers } from './sim-probe.mjs'

addEventListener('message', () => postMessage(frontiers()))
