import { Command } from 'commander'
import { amount, count, duration, flag, share, word } from '../flags.ts'
import type { EvidenceFlags } from './evidence.ts'
import { PRODUCT_HELP, type ProductFlags } from './product-flags.ts'

interface ChooseFlags extends EvidenceFlags, ProductFlags {
  readonly json?: true
}

export function chooseCommand(): Command {
  return new Command('choose')
    .description('Which load a product should run at, and what that costs the other speed.')
    .argument('[run]', 'a run folder')
    .addOption(
      flag(
        '--points <file>',
        'instead of a run: concurrency,outputTokensPerSecond[,tokensPerSecondPerUser][,ttftMs], or a table of one sweep',
        word,
      ),
    )
    .addOption(flag('--floor <n>', 'the least pace, tok/s/user', amount))
    .addOption(flag('--ttft <time>', 'the longest wait for the first token, such as 500ms', duration))
    .addOption(flag('--share <n>', 'of a run: the share of requests that must get both, such as 0.9', share))
    .addOption(flag('--product <name>', PRODUCT_HELP, word))
    .addOption(flag('--gpus <n>', 'of the whole server', count))
    .addOption(flag('--output-tokens <n>', 'of an answer: points with ttftMs and no pace tell it by that', count))
    .addOption(flag('--law <law>', 'believe this law, or the fit in a file, instead of fitting one', word))
    .option('--json', 'print the answer as JSON')
    .action(runChoose)
}

async function runChoose(run: string | undefined, flags: ChooseFlags): Promise<void> {
  const { productOf } = await import('./product.ts')
  const { evidenceOf } = await import('./evidence.ts')
  const { choose, adviceOn } = await import('../../plan/index.ts')
  const product = productOf(flags)
  const { evidence, objectives, choices } = await evidenceOf(run, flags, product)
  const choice = product === undefined ? undefined : choose(evidence, product)
  const advice = product === undefined ? adviceOn(evidence, objectives, choices?.[0]) : []
  if (flags.json === true) {
    const { fit, frontier } = evidence
    const answer = choice ?? { fit, frontier, choices: advice.flatMap(({ choice: advised }) => advised ?? []) }
    process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`)
    return
  }
  const { choiceText } = await import('../../report/index.ts')
  process.stdout.write(`${choiceText(evidence, choice, advice)}\n`)
}
