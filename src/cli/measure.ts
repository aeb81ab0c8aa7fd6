import { Command } from 'commander'

export function measureCommand(): Command {
  return new Command('measure')
}
