// Writes the pages that are generated from code: docs/reference/errors.md and docs/reference/cli.md. `--check` only compares.
import { readFileSync, writeFileSync } from 'node:fs'
import { setup } from './setup.mjs'

setup()
const { ERRORS } = await import('../dist/core/index.js')
const { buildProgram } = await import('../dist/cli/program.js')

const exits = { 1: 'the objective cannot be held', 2: 'wrong use', 3: 'the target failed', 70: 'a bug of twospeed' }
const errors = [
  '# Errors',
  '',
  'A failure prints `CODE: what happened` and what to do on stderr; with `--json`, one object `{error: {code, message, hint}}` on stdout.',
  'Match on the code. Ctrl-C ends with 130 and keeps what was measured.',
  '',
  '| code | exit | what it means |',
  '|---|---|---|',
  ...Object.entries(ERRORS).map(([code, { exit, means }]) => `| \`${code}\` | ${exit}, ${exits[exit]} | ${means} |`),
  '',
].join('\n')

const helpOf = (command) => command.configureHelp({ helpWidth: 120 }).helpInformation().trimEnd()
const program = buildProgram()
const cli = [
  '# Commands',
  '',
  ...[program, ...program.commands].flatMap((command) => [
    `## ${command === program ? 'twospeed' : `twospeed ${command.name()}`}`,
    '',
    '```',
    helpOf(command),
    '```',
    '',
  ]),
].join('\n')

const pages = { 'docs/reference/errors.md': errors, 'docs/reference/cli.md': cli }
for (const [file, text] of Object.entries(pages)) {
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(`${file} is not what the code says; run npm run docs\n`)
    process.exitCode = 1
  }
}
