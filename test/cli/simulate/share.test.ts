import { describe, expect, it } from 'vitest'
import { folderWith } from '../../support/planning-case.ts'
import { runCli } from '../run-cli.ts'

const LOAD = ['--law', 'a=5ms,b=0.25ms', '--requests', '300', '--concurrency', '4,64', '--workers', '0']
const simulate = (...args: readonly string[]) => runCli(['simulate', ...LOAD, ...args], folderWith({}))

describe('a share of the requests, without a search', () => {
  it('judges each load by what so many requests got', () => {
    const { stdout, exit } = simulate('--floor', '50', '--share', '0.9')
    expect(exit).toBe(0)
    expect(stdout).toMatch(/Your objective, 50 tok\/s\/user, for 90 % of requests: held at 4 \(100 % met all of it\)/)
  })

  it('is refused where there is nothing to hold', () => {
    const { stderr, exit } = simulate('--share', '0.9')
    expect(exit).toBe(2)
    expect(stderr).toContain('--share is the share of requests that must hold something')
  })
})
