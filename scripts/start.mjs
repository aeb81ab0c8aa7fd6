// `npm start`: the main job from a fresh clone. Sets up, then measures a real engine on this machine.
import { setup } from './setup.mjs'

setup()
process.argv.splice(2, 0, 'demo')
await import('../dist/cli/main.js')
