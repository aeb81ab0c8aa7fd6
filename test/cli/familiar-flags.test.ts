import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { familiarHint } from '../../src/cli/familiar-flags.ts'
import { measureCommand } from '../../src/cli/measure.ts'
import { runCli } from './run-cli.ts'

it('a flag that other tools have is answered with ours, and its value is not repeated', () => {
  const { exit, stderr } = runCli(['measure', 'http://127.0.0.1:9', '--request-rate=77'], tmpdir())
  expect(exit).toBe(2)
  expect(stderr).toMatch(/^UNKNOWN_FLAG: unknown option '--request-rate'/)
  expect(stderr).toContain('calls it --rate 5/s.')
  expect(stderr).not.toContain('77')
  expect(runCli(['measure', 'http://127.0.0.1:9', '--frobnicate'], tmpdir()).stderr).toContain('\n  See --help.')
})

it('names flags that measure has, of names that it has not', () => {
  const flags = measureCommand().options.map(({ long }) => long)
  for (const [theirs, ours] of [
    ['--num-prompts', '--requests'],
    ['--max-concurrency', '--concurrency'],
    ['--random-input-len', '--input-tokens'],
    ['--max-seconds', '--duration'],
    ['--goodput', '--floor'],
  ] as const) {
    expect(flags).not.toContain(theirs)
    expect(flags).toContain(ours)
    expect(familiarHint(theirs)).toContain(`calls it ${ours}`)
  }
  expect(familiarHint('--base-url')).toContain('without a flag')
  expect(familiarHint('--toString')).toBeUndefined()
})
