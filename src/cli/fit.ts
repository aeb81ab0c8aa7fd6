import { Command } from 'commander'
import { type FitAnswer, figure, TwospeedError, type UnknownLoad } from '../core/index.ts'
import { type FitFlags, lengthsApart } from './fit-flags.ts'
import type { Subject } from './fit-subjects.ts'
import { count, counts, flag, refuse, share, word } from './flags.ts'

const expertsOf = (text: string): NonNullable<FitFlags['experts']> => {
  const [, active = 0, all = 0] = /^(\d{1,6})\/(\d{1,6})$/.exec(text.trim())?.map(Number) ?? []
  return active > 0 && active < all
    ? { active, all }
    : refuse('It takes the experts that a token passes, of how many: 8/256.')
}

export function fitCommand(): Command {
  return new Command('fit')
    .description(
      'The law of a server from what was measured: its terms, the limits that follow, how far to believe it.',
    )
    .argument('[runs...]', 'run folders of one server, or one CSV file')
    .addOption(
      flag(
        '--points <file>',
        'concurrency,outputTokensPerSecond[,tokensPerSecondPerUser][,ttftMs], or a table of sweeps: one fit each',
        word,
      ),
    )
    .addOption(flag('--at <loads>', 'foretell the speeds at these requests in flight, such as 8,16,32', counts))
    .addOption(flag('--gpus <n>', 'of the whole server', count))
    .addOption(flag('--experts <k/n>', 'of a mixture of experts: those a token passes, of how many: 8/256', expertsOf))
    .addOption(flag('--model <name>', 'its experts, by the catalogue or a config.json', word))
    .addOption(flag('--catalogue <file>', 'your own models beside those of the catalogue', word))
    .addOption(
      flag('--kv-tokens <n>', 'context that the whole server holds, which limits the requests in flight', count),
    )
    .addOption(flag('--input-tokens <n>', 'of a request, in place of what the input says', count))
    .addOption(flag('--output-tokens <n>', 'of a request, in place of what the input says', count))
    .addOption(
      flag('--share <n>', 'of runs: fit the pace that this share of requests has at least, such as 0.9', share),
    )
    .addOption(flag('--lane <name>', 'of runs that were simulated with several: that one (their mix)', word))
    .option('--json', 'print the answer as JSON')
    .option('--markdown', 'print Markdown')
    .action(runFit)
}

async function runFit(paths: readonly string[], flags: FitFlags): Promise<void> {
  checkFlags(flags)
  const { subjectsOf } = await import('./fit-subjects.ts')
  const { excessesIn, fitPoints } = await import('../model/index.ts')
  const subjects = await subjectsOf(paths, flags)
  const fits = subjects.map((subject) => ({
    subject,
    answer: fitPoints(subject.points, subject.deployment, flags.at),
  }))
  for (const { subject, answer } of fits) {
    refuseNoRoom(answer)
    tellUnknown(subject, answer)
    // All in flight make more than so many at the pace of the slow ones among them.
    if (flags.share !== undefined) continue
    // That pace rises with load is among the reasons of the fit.
    for (const what of excessesIn(subject.points, answer.fit.lengths?.output)) {
      process.stderr.write(`${subject.name} contradicts itself: ${what}.\n`)
    }
  }
  if (flags.json === true) {
    const answers = fits.map(({ subject, answer }) => ({
      ...(subject.sweep !== undefined && { sweep: { name: subject.name, ...subject.sweep } }),
      ...answer,
    }))
    process.stdout.write(`${JSON.stringify(answers.length === 1 ? answers[0] : { fits: answers }, null, 2)}\n`)
    return
  }
  const { fitMarkdown, fitText } = await import('../report/index.ts')
  const reports = fits.map(({ subject: { name, loadName }, answer }) => ({
    name,
    loadName,
    answer,
    ...(flags.share !== undefined && { share: flags.share }),
  }))
  process.stdout.write(flags.markdown === true ? fitMarkdown(reports) : `${fitText(reports)}\n`)
}

function checkFlags({ json, markdown, experts, model, inputTokens, outputTokens }: FitFlags): void {
  if (json === true && markdown === true) {
    throw new TwospeedError('CONFLICTING_FLAGS', '--json and --markdown are two things to print', 'Give one of them.')
  }
  if (experts !== undefined && model !== undefined) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      '--experts and --model both say how many experts there are',
      'Give one of them.',
    )
  }
  if (inputTokens !== undefined && outputTokens === undefined) throw lengthsApart()
}

/** A cache that does not hold one request would be the end of the server, not a limit. */
function refuseNoRoom({ fit: { kvLimit } }: FitAnswer): void {
  if (kvLimit === undefined || kvLimit.concurrency > 0) return
  throw new TwospeedError(
    'INVALID_VALUE',
    `--kv-tokens ${figure(kvLimit.tokens)}: a request holds ${figure(kvLimit.tokensPerRequest)} tokens, so that not one has room`,
    'It is the context that the KV cache of the whole server holds, in tokens.',
  )
}

/** A load asked for of which nothing is known is left out of the frontier, and said. */
function tellUnknown({ name }: Subject, { fit, loads, unknown = [] }: FitAnswer): void {
  const [least, greatest] = [loads[0], loads.at(-1)].map((load) => figure(load?.concurrency ?? 0))
  const measured = `the loads measured (${least} to ${greatest})`
  const doubt = fit.reliable ? '' : `, for ${fit.why.join('; ')}`
  const words: Readonly<Record<UnknownLoad, string>> = {
    tooFar: `that is too far beyond ${measured}: a law is followed to 4 times the greatest`,
    betweenOnly: `the law is believed between ${measured} only${doubt}`,
    tooLoose: `the interval of the law is too wide so far outside ${measured}`,
  }
  for (const { concurrency, why } of unknown) {
    process.stderr.write(`${name}: nothing is known of ${figure(concurrency)} in flight: ${words[why]}.\n`)
  }
}
