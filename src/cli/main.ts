#!/usr/bin/env node
import { CommanderError } from 'commander'
import { ERRORS, type ErrorCode, printable, TwospeedError } from '../core/index.ts'
import { familiarHint } from './familiar-flags.ts'
import { buildProgram } from './program.ts'

/** Commander's own refusals, in our codes. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  'commander.unknownOption': 'UNKNOWN_FLAG',
  'commander.unknownCommand': 'UNKNOWN_COMMAND',
  'commander.excessArguments': 'UNKNOWN_COMMAND',
  'commander.missingArgument': 'MISSING_VALUE',
  'commander.optionMissingArgument': 'MISSING_VALUE',
  'commander.missingMandatoryOptionValue': 'MISSING_VALUE',
  'commander.invalidArgument': 'INVALID_VALUE',
  'commander.conflictingOption': 'CONFLICTING_FLAGS',
}

function asTwospeedError(error: unknown): TwospeedError {
  if (error instanceof TwospeedError) return error
  if (error instanceof CommanderError) {
    const message = error.message
      .replace(/^error: /, '')
      .replace(/\n.*$/s, (rest) => rest.replace(/\n/g, ' '))
      // An unknown flag is named without its value: a mistyped --api-key=… must not print the key.
      .replace(/unknown option '([^=']+)=.*/s, "unknown option '$1'")
    const code = message.includes('given twice') ? 'DUPLICATE_FLAG' : (CODES[error.code] ?? 'INVALID_VALUE')
    const [, flag = ''] = /unknown option '([^']+)'/.exec(message) ?? []
    return new TwospeedError(code, message, familiarHint(flag) ?? 'See --help.')
  }
  const text = error instanceof Error ? (process.env.TWOSPEED_DEBUG === undefined ? error.message : error.stack) : error
  return new TwospeedError(
    'BUG',
    String(text),
    'Please report it, with the command. TWOSPEED_DEBUG=1 shows where it happened.',
  )
}

/** `help frob`: commander shows the help of everything instead. */
const isHelpOnNothing = (argv: readonly string[]): boolean => argv[0] === 'help' && argv[1] !== undefined
const unknownCommand = (name = ''): TwospeedError =>
  new TwospeedError('UNKNOWN_COMMAND', `unknown command '${name}'`, 'See --help.')

async function main(argv: readonly string[]): Promise<void> {
  try {
    await buildProgram().parseAsync([...argv], { from: 'user' })
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return
    const isHelp = thrown instanceof CommanderError && thrown.code === 'commander.help'
    if (isHelp && !isHelpOnNothing(argv)) {
      process.stdout.write(buildProgram().helpInformation())
      process.exitCode = 2
      return
    }
    const error = isHelp ? unknownCommand(argv[1]) : asTwospeedError(thrown)
    if (argv.includes('--json')) {
      const { code, message, hint } = error
      process.stdout.write(`${JSON.stringify({ error: { code, message, hint } }, null, 2)}\n`)
    } else {
      process.stderr.write(`${error.code}: ${printable(error.message)}\n  ${printable(error.hint)}\n`)
    }
    process.exitCode = ERRORS[error.code].exit
  }
}

// A reader that closes our output (`| head`) is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

await main(process.argv.slice(2))
