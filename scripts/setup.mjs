// Makes a fresh clone ready: installs from the lock where the lock changed, then builds. Plain Node, since nothing is installed yet.
// Everything it prints goes to stderr: stdout belongs to the command that follows.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

function run(name, args) {
  const result = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (result.status === 0) return
  process.stderr.write(`twospeed: ${name} failed${result.error === undefined ? '' : `: ${result.error.message}`}\n`)
  process.exit(result.status ?? 1)
}

/** npm as it was started; beside node when this script was started by hand. `npm.cmd` cannot be spawned without a shell. */
function npmScript() {
  const beside = [
    join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ]
  const found = [process.env.npm_execpath, ...beside].find((path) => path?.endsWith('.js') && existsSync(path))
  if (found !== undefined) return found
  process.stderr.write('twospeed: npm was not found; run this through `npm start` or `npm test`.\n')
  process.exit(2)
}

export function setup() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) {
    process.stderr.write(`twospeed needs Node 20.19 or later; this is ${process.versions.node}.\n`)
    process.exit(2)
  }
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  const stamp = join(root, 'node_modules', '.twospeed-lock')
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
    process.stderr.write('twospeed: installing what the lock names (about 400 MB, once) …\n')
    run('npm ci', [npmScript(), 'ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund'])
    writeFileSync(stamp, lock)
  }
  run('the build', [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b'])
}

if (process.argv[1] === fileURLToPath(import.meta.url)) setup()
