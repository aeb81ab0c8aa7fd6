// `npm run check`: format and lint, types, folder boundaries, unused code, the package. A checker that read nothing has failed, so
// each proves that it looked: by a count, or by refusing something planted for it.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setup } from './setup.mjs'

setup()
const bin = (name) => join('node_modules', '.bin', name)
const sources = readdirSync('src', { recursive: true }).filter((file) => String(file).endsWith('.ts')).length

function run(command, args, options = {}) {
  const result = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    env: { ...process.env, NO_COLOR: '1' },
    ...options,
  })
  return { ok: result.status === 0, text: `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}` }
}

/** Writes a file that breaks a rule, runs the checker, and takes it away again: true when the checker refused it for that reason. */
function refuses(file, text, command, args, reason) {
  writeFileSync(file, text)
  try {
    const result = run(command, args)
    return {
      ok: !result.ok && reason.test(result.text),
      text: `a planted fault in ${file} was not refused:\n${result.text}`,
    }
  } finally {
    rmSync(file)
  }
}

const checks = {
  'format and lint': () => {
    const result = run(bin('biome'), ['ci', '--colors=off', '.'])
    const files = Number(/Checked (\d+) files/.exec(result.text)?.[1] ?? 0)
    return files >= sources ? result : { ok: false, text: `biome read ${files} of ${sources} sources\n${result.text}` }
  },
  'lint refuses a package in a pure folder': () =>
    refuses(
      'src/core/planted.ts',
      "import { z } from 'zod'\n\nexport const planted: unknown = z\n",
      bin('biome'),
      ['lint', 'src/core/planted.ts'],
      /noRestrictedImports/,
    ),
  types: () => run(bin('tsc'), ['-b']),
  'types of the tests': () => run(bin('tsc'), ['-p', 'test/tsconfig.json']),
  'the compiler refuses a wrong-way import': () =>
    refuses(
      'src/core/planted.ts',
      "export { parseLaw as planted } from '../model/index.ts'\n",
      bin('tsc'),
      ['-p', 'src/core', '--noEmit'],
      /TS6307|TS6059/,
    ),
  'the compiler refuses Node in a pure folder': () =>
    refuses(
      'src/core/planted.ts',
      "export { readFileSync as planted } from 'node:fs'\n",
      bin('tsc'),
      ['-p', 'src/core', '--noEmit'],
      /TS2591|TS2307/,
    ),
  'unused code': () => run(bin('knip'), []),
  'unused code is found': () =>
    refuses('src/core/planted.ts', 'export const planted = 1\n', bin('knip'), [], /planted/),
  package: () => run(bin('publint'), ['--strict']),
  'package types': () => run(bin('attw'), ['--pack', '.', '--profile', 'esm-only']),
  'the packed package runs by itself': () => {
    const folder = mkdtempSync(join(tmpdir(), 'twospeed-pack-'))
    try {
      const packed = run('npm', ['pack', '--json', '--pack-destination', folder, '--ignore-scripts'])
      if (!packed.ok) return packed
      const tarball = readdirSync(folder).find((file) => file.endsWith('.tgz'))
      writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
      const installed = run('npm', ['install', '--no-audit', '--no-fund', '--omit=optional', join(folder, tarball)], {
        cwd: folder,
      })
      if (!installed.ok) return installed
      writeFileSync(
        join(folder, 'use.mjs'),
        "import { choose } from 'twospeed'\nimport { measure } from 'twospeed/node'\nif (typeof choose !== 'function' || typeof measure !== 'function') throw new Error('missing export')\n",
      )
      const imported = run(process.execPath, ['use.mjs'], { cwd: folder })
      if (!imported.ok) return imported
      const ran = run(join(folder, bin('twospeed')), ['--version'], { cwd: folder })
      const version = JSON.parse(readFileSync('package.json', 'utf8')).version
      return { ok: ran.ok && ran.text.trim() === version, text: ran.text }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  'the project speaks of itself alone': () => {
    const found = run('git', [
      'grep',
      '-nIE',
      '(^|[^a-z.])/(home|root|work)/[a-z]|(registry|deb)\\.[a-z]+\\.(org|com)|resolved": "http',
      '--',
      '.',
      ':!scripts/check.mjs',
    ])
    const read = run('git', ['ls-files'])
    return { ok: !found.ok && found.text === '' && read.text.split('\n').length > sources, text: found.text }
  },
}

let failed = 0
for (const [name, check] of Object.entries(checks)) {
  const started = performance.now()
  const result = check()
  if (!result.ok) failed++
  const spent = ((performance.now() - started) / 1000).toFixed(1)
  process.stdout.write(
    `${result.ok ? 'ok  ' : 'FAIL'} ${name} (${spent} s)\n${result.ok ? '' : `${result.text.trimEnd()}\n`}`,
  )
}
const passed = Object.keys(checks).length - failed
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
