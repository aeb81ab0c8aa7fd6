import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mismatches } from '../../support/cases.ts'
import { folderWith } from '../../support/planning-case.ts'
import { type Ended, runCli } from '../run-cli.ts'

const LESSON = 'concurrency,outputTokensPerSecond\n20,2000\n80,3200\n'
const EXCESS = 'concurrency,outputTokensPerSecond,tokensPerSecondPerUser\n20,3000,100\n80,3200,40\n'
const RISING = 'concurrency,outputTokensPerSecond\n20,1000\n80,8000\n'
const folder = (): string => folderWith({ 'a.csv': LESSON, 'excess.csv': EXCESS, 'rising.csv': RISING })
const run = (...args: readonly string[]): Ended => runCli(args, folder())

describe('a question that nothing holds', () => {
  const asked = ['choose', 'a.csv', '--gpus', '1', '--floor', '250']
  const changes = ['--what-if', 'floor=50', '--what-if', 'floor=240']

  it('is refused as ever where no change stands beside it', () => {
    const { exit, stdout, stderr } = run(...asked)
    expect([exit, stdout]).toEqual([1, ''])
    expect(stderr).toContain('NO_POINT_HOLDS')
  })

  it('has the answers to its changes beside the refusal, and the exit code of that', () => {
    const { exit, stdout, stderr } = run(...asked, ...changes, '--json')
    expect([exit, stderr]).toEqual([1, ''])
    const expected = {
      'error.code': { value: 'NO_POINT_HOLDS' },
      'error.hint': { matches: '.' },
      choice: { absent: true },
      'whatIf[0].change': { value: 'floor=50' },
      'whatIf[0].answer.choice.concurrency': { value: 60 },
      'whatIf[1].error.code': { value: 'NO_POINT_HOLDS' },
    } as const
    expect(mismatches(JSON.parse(stdout), expected)).toEqual([])
    expect(JSON.parse(stdout).whatIf[0].differences).toContainEqual({ key: 'choice.concurrency', to: 60 })
  })

  it('shows them in every form', () => {
    const text = run(...asked, ...changes)
    const dir = folder()
    const markdown = runCli([...asked, ...changes, '--markdown', '--html', 'page.html'], dir)
    expect([text.exit, markdown.exit]).toEqual([1, 1])
    expect(text.stdout).toMatch(/^NO_POINT_HOLDS: no load gives 250 tok\/s\/user/)
    expect(text.stdout).toMatch(/What if floor=50\n(?:.*\n)*load of a replica +– +60/)
    expect(markdown.stdout).toContain('NO\\_POINT\\_HOLDS: no load gives 250')
    expect(markdown.stdout).toMatch(/\| load of a replica \| +– \| +60 \|/)
    const page = readFileSync(join(dir, 'page.html'), 'utf8')
    expect(page).toContain('NO_POINT_HOLDS: no load gives 250')
    expect(page).toContain('What if floor=50')
    expect(page).toContain('What if floor=240')
  })

  it('is so of a plan too', () => {
    const { exit, stdout } = run(
      ...['plan', 'a.csv', '--floor', '250', '--arrivals', '10/s', '--output-tokens', '300', '--json'],
      ...['--what-if', 'floor=100'],
    )
    expect(exit).toBe(1)
    const expected = { 'error.code': { value: 'NO_POINT_HOLDS' }, 'whatIf[0].answer.replicas': { value: 2 } }
    expect(mismatches(JSON.parse(stdout), expected)).toEqual([])
  })

  it('that is wrong use is refused by itself', () => {
    const { exit, stdout, stderr } = run('choose', 'none.csv', '--floor', '50', '--what-if', 'floor=40')
    expect([exit, stdout]).toEqual([2, ''])
    expect(stderr).toContain('FILE_NOT_READABLE')
  })
})

describe('figures that contradict each other', () => {
  const cases = [
    ['excess.csv', 'at 20 in flight 3,000 tok/s are more than 20 × 100 tok/s/user = 2,000'],
    ['rising.csv', 'pace rises with load, from 50 tok/s/user at 20 in flight to 100 at 80'],
  ] as const

  it.each(cases)('of %s are told in the answer, and refused by --strict', (file, what) => {
    const warning = `${file} contradicts itself: ${what}.`
    const choice = run('choose', file, '--floor', '30', '--json')
    expect(choice.exit).toBe(0)
    expect(JSON.parse(choice.stdout).warnings).toEqual([warning])
    expect(run('choose', file, '--floor', '30').stdout.startsWith(warning)).toBe(true)
    const demand = ['--floor', '30', '--arrivals', '2/s', '--output-tokens', '100', '--json']
    expect(JSON.parse(run('plan', file, ...demand).stdout).warnings).toEqual([warning])
    for (const strict of [
      run('choose', file, '--floor', '30', '--strict', '--json'),
      run('plan', file, ...demand, '--strict'),
    ]) {
      expect(strict.exit).toBe(2)
      const expected = { 'error.code': { value: 'INVALID_POINTS' }, 'error.message': { matches: file } }
      expect(mismatches(JSON.parse(strict.stdout), expected)).toEqual([])
    }
  })

  it('leave the others to choose from, where there are', () => {
    const asked = ['choose', 'a.csv', 'excess.csv', '--floor', '40', '--json']
    const both = JSON.parse(run(...asked).stdout)
    expect([both.choice.concurrency, both.alternatives]).toEqual([80, undefined])
    expect(both.warnings[0]).toMatch(/It is left out\.$/)
    const strict = run(...asked, '--strict')
    const { choice, alternatives, warnings } = JSON.parse(strict.stdout)
    expect([strict.exit, choice.concurrency, alternatives]).toEqual([0, 80, undefined])
    expect(warnings[0]).toMatch(/^excess\.csv contradicts itself: .* It is left out\.$/)
  })

  it('are none in the lesson', () => {
    const { exit, stdout } = run('choose', 'a.csv', '--floor', '50', '--strict', '--json')
    expect(exit).toBe(0)
    expect(JSON.parse(stdout)).not.toHaveProperty('warnings')
  })

  it('say of a fit that more is made than all have together; that pace rises is among its reasons', () => {
    const { stderr } = run('fit', '--points', 'excess.csv')
    expect(stderr).toContain('excess.csv contradicts itself: at 20 in flight 3,000 tok/s')
    const rising = run('fit', '--points', 'rising.csv', '--json')
    expect(rising.stderr).toBe('')
    expect(JSON.parse(rising.stdout).fit.why.join()).toContain('pace rises with load')
  })
})
