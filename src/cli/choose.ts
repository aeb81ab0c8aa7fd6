import { Command } from 'commander'

export function chooseCommand(): Command {
  return new Command('choose')
}
