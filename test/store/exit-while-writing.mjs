// A run that ends by process.exit, as a second Ctrl-C does, while run.json is being replaced: `node exit-while-writing.mjs DIR`.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createRunFolder } from '../../dist/store/index.js'

const dir = process.argv[2]
const header = {
  schema: 'twospeed/run@1',
  createdAt: '2026-12-01T00:00:00.000Z',
  twospeed: '0.1.0',
  target: { url: 'http://127.0.0.1:1/v1', model: 'm' },
  hardware: {},
  workload: {},
  points: [],
}
const writer = await createRunFolder(dir, header)
// Long enough to be met in the middle of it.
writer.update({ ...header, workload: { long: 'x'.repeat(50_000_000) } })
const look = () => {
  if (existsSync(join(dir, 'run.json.tmp'))) process.exit(130)
  setImmediate(look)
}
look()
