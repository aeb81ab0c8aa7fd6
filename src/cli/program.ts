import { Command } from 'commander'
import { calibrateCommand } from './calibrate.ts'
import { demoCommand } from './demo.ts'
import { fitCommand } from './fit.ts'
import { measureCommand } from './measure.ts'
import { chooseCommand } from './planning/choose.ts'
import { planCommand } from './planning/plan.ts'
import { predictCommand } from './predict.ts'
import { reportCommand } from './report.ts'
import { serveCommand } from './serve.ts'
import { simulateCommand } from './simulate/command.ts'
import { version } from './version.ts'

/** Every command, in the order a newcomer meets them. Errors are thrown, not printed: `main` says them in our own form. */
export function buildProgram(): Command {
  const program = new Command('twospeed')
    .description(
      'The two speeds of an LLM server, tok/s per user and tok/s per GPU: measure them, see how they trade, choose the point.',
    )
    .version(version)
    .showHelpAfterError(false)
  const quiet = { writeErr: (): void => {}, outputError: (): void => {} }
  const commands = [
    measureCommand(),
    fitCommand(),
    chooseCommand(),
    planCommand(),
    predictCommand(),
    simulateCommand(),
    serveCommand(),
    reportCommand(),
    demoCommand(),
    calibrateCommand(),
  ]
  for (const command of [program, ...commands]) command.exitOverride().configureOutput(quiet)
  for (const command of commands) program.addCommand(command)
  return program
}
