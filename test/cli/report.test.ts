import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import type { Run } from '../../src/core/index.ts'
import { summarizeRun } from '../../src/model/index.ts'
import { type MetricsCase, writeRunOfCase } from '../store/run-of-case.ts'
import { temporaryFolder } from '../store/temporary.ts'
import { mismatches, readCases } from '../support/cases.ts'
import { simulatedRun } from '../support/simulated-run.ts'
import { runCli } from './run-cli.ts'

/** A run of a capped server, whose run.json holds only load and window of each point. */
function writeRun(dir: string): ReturnType<typeof simulatedRun> {
  const run = simulatedRun(
    { stepS: (batch, prefill) => 0.005 + 0.00025 * batch + 2e-5 * prefill, slots: 4 },
    { loads: [1, 2, 4, 8, 16] },
  )
  writeFileSync(join(dir, 'run.json'), JSON.stringify(run.header))
  writeFileSync(
    join(dir, 'requests.jsonl.gz'),
    gzipSync(run.records.map((record) => `${JSON.stringify(record)}\n`).join('')),
  )
  return run
}

describe('the metrics cases, through the command', () => {
  const cases = readCases<MetricsCase>('metrics')
  it('are there', () => expect(cases.length).toBeGreaterThanOrEqual(30))

  it.each(cases.map((given) => [`${given.id}: ${given.title}`, given] as const))('%s', (_, given) => {
    const dir = temporaryFolder()
    writeRunOfCase(given, dir)
    const { exit, stdout } = runCli(['report', dir, '--json'], dir)
    expect(mismatches(JSON.parse(stdout), given.expect)).toEqual([])
    expect(exit).toBe(0)
    expect(stdout).not.toMatch(/\bnull\b/)
    // Whatever the records are, the forms for people must stand too, without a number that is none.
    const markdown = runCli(['report', dir, '--markdown', '--html', 'r.html'], dir)
    expect(markdown.exit).toBe(0)
    const page = readFileSync(join(dir, 'r.html'), 'utf8')
    for (const text of [markdown.stdout, page]) expect(text).not.toMatch(/NaN|undefined|Infinity/)
  })
})

describe('report', () => {
  const dir = mkdtempSync(join(tmpdir(), 'twospeed-report-'))
  const { header, records } = writeRun(dir)
  afterAll(() => rmSync(dir, { recursive: true }))

  it('prints what the library computes', async () => {
    const { stdout } = runCli(['report', dir, '--json'], dir)
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(await summarizeRun(header, records))))
  })

  it('says the limit of a server that caps its batch, and does not call its users slow', () => {
    const { exit, stdout } = runCli(['report', dir], dir)
    expect(exit).toBe(0)
    expect(stdout).toContain("The server's limit: a replica decodes at most about 3.85 at once.")
    expect(stdout).toContain("Left out of the law: load 8, 16: beyond the server's limit.")
    expect(stdout).toMatch(/^ *16 +165\.8 .* 745\.2 +745\.2 +16\.00 .* 3\.85 +past the server's limit$/m)
    expect(stdout).toContain('run 4 in flight (the server decodes no more at once)')
  })

  it('takes the number of GPUs afterwards', () => {
    const { stdout } = runCli(['report', dir, '--gpus', '2', '--json'], dir)
    const plain = JSON.parse(runCli(['report', dir, '--json'], dir).stdout) as {
      points: { outputTokensPerSecond: number; perGpu?: unknown }[]
    }
    const [first] = plain.points
    expect(first?.perGpu).toBeUndefined()
    const half = (first?.outputTokensPerSecond ?? 0) / 2
    expect(mismatches(JSON.parse(stdout), { 'points[0].perGpu.outputTokensPerSecond': { value: half } })).toEqual([])
  })

  it('says how many bytes at the end could not be read, and reports the rest', () => {
    const plain = JSON.parse(runCli(['report', dir, '--json'], dir).stdout) as object
    expect(plain).not.toHaveProperty('unreadableBytes')
    const added = temporaryFolder()
    cpSync(dir, added, { recursive: true })
    appendFileSync(join(added, 'requests.jsonl.gz'), 'something else')
    const { exit, stdout, stderr } = runCli(['report', added, '--json'], added)
    expect(exit).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ ...plain, unreadableBytes: 14 })
    expect(stderr).toMatch(/^The last 14 bytes of .*requests\.jsonl\.gz are no whole part of it/)
  })

  it('says how many records have no window to be measured over', () => {
    const killed = temporaryFolder()
    cpSync(dir, killed, { recursive: true })
    writeFileSync(join(killed, 'run.json'), JSON.stringify({ ...header, points: header.points.slice(0, 4) }))
    const lost = records.filter(({ point }) => point === 4).length
    const { exit, stderr } = runCli(['report', killed], killed)
    expect(exit).toBe(0)
    expect(stderr).toContain(`${lost} records belong to a point whose window never opened`)
  })

  it('advises by what the run itself was asked to hold', () => {
    const asked = temporaryFolder()
    cpSync(dir, asked, { recursive: true })
    writeFileSync(join(asked, 'run.json'), JSON.stringify({ ...header, objectives: { tokensPerSecond: 180 } }))
    const { choices } = JSON.parse(runCli(['choose', asked, '--json'], asked).stdout) as Pick<Run, 'choices'>
    expect(choices?.[0]?.product).toMatchObject({ name: 'objective', tokensPerSecond: 180 })
    expect(runCli(['choose', asked], asked).stdout).toContain('Your objective, 180 tok/s/user: run 2 in flight')
    expect(runCli(['choose', dir], dir).stdout).toContain('Chat')
  })

  it('chooses from the same folder', () => {
    const { stdout } = runCli(['choose', dir, '--floor', '150', '--ttft', '200ms', '--share', '0.9', '--json'], dir)
    const expected = { 'choice.concurrency': { value: 4 }, bindingConstraint: { value: 'serverLimit' } }
    expect(mismatches(JSON.parse(stdout), expected)).toEqual([])
  })

  it.each([
    [['report', 'nowhere'], 'FILE_NOT_READABLE'],
    [['report'], 'MISSING_VALUE'],
    [['report', '.', '--json', '--markdown'], 'CONFLICTING_FLAGS'],
    [['report', '.', '--html', 'no/such/folder/r.html'], 'FILE_NOT_WRITABLE'],
    [['report', '.', '--gpus', '0'], 'INVALID_VALUE'],
    [['report', '.', '--htm', 'r.html'], 'UNKNOWN_FLAG'],
  ])('%j is refused as %s', (args, code) => {
    const { exit, stdout, stderr } = runCli(args, dir)
    // With --json an error is an object on stdout.
    expect(args.includes('--json') ? stdout : stderr).toContain(code)
    expect(exit).toBe(2)
    expect(stderr).not.toMatch(/\n\s+at /)
  })
})
