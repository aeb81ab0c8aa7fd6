// Writes what is generated from code: docs/reference/errors.md, cli.md, catalogue.md and config.schema.json. `--check` only compares.
import { readFileSync, writeFileSync } from 'node:fs'
import { cataloguePage } from './catalogue-page.mjs'
import { setup } from './setup.mjs'

setup()
const { ERRORS } = await import('../dist/core/index.js')
const { buildProgram } = await import('../dist/cli/program.js')
const { configJsonSchema } = await import('../dist/cli/config.js')

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

// Lists of plain values on one line, as the formatter wants them.
const schema = JSON.stringify(configJsonSchema(), null, 2).replace(
  /\[\s+([^[\]{}]+?)\s+\]/g,
  (_, values) => `[${values.replace(/\s+/g, ' ')}]`,
)

const pages = {
  'docs/reference/errors.md': errors,
  'docs/reference/cli.md': cli,
  'docs/reference/catalogue.md': cataloguePage(await import('../dist/model/index.js')),
  'docs/reference/config.schema.json': `${schema}\n`,
}
for (const [file, text] of Object.entries(pages)) {
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(`${file} is not what the code says; run npm run docs\n`)
    process.exitCode = 1
  }
}
