/** What other load generators call it: the flag of ours that means the same. */
const FAMILIAR: Readonly<Record<string, string>> = {
  '--request-rate': '--rate 5/s',
  '--max-concurrency': '--concurrency',
  '--num-concurrent-requests': '--concurrency',
  '--num-users': '--concurrency',
  '--num-prompts': '--requests',
  '--num-requests': '--requests',
  '--max-requests': '--requests',
  '--request-count': '--requests',
  '--max-seconds': '--duration 30s',
  '--input-len': '--input-tokens',
  '--random-input-len': '--input-tokens',
  '--synthetic-input-tokens-mean': '--input-tokens',
  '--prompt-tokens': '--input-tokens',
  '--output-len': '--output-tokens',
  '--random-output-len': '--output-tokens',
  '--output-tokens-mean': '--output-tokens',
  '--max-tokens': '--output-tokens',
  '--dataset-path': '--prompts FILE',
  '--goodput': '--floor and --ttft',
  '--random-seed': '--seed',
}
/** The server itself is no flag. */
const URLS: readonly string[] = ['--url', '--base-url', '--target', '--host']

/** Which flag of ours an unknown one means, where other tools have it. */
export function familiarHint(flag: string): string | undefined {
  if (URLS.includes(flag)) return 'The server stands without a flag: twospeed measure http://localhost:8000.'
  const ours = Object.hasOwn(FAMILIAR, flag) ? FAMILIAR[flag] : undefined
  return ours === undefined ? undefined : `twospeed measure calls it ${ours}. See twospeed measure --help.`
}
