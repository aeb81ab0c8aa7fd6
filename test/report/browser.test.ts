import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Product } from '../../src/core/index.ts'
import { summarizeRun } from '../../src/model/index.ts'
import { chooseAmong, planProducts } from '../../src/plan/index.ts'
import { choiceDocument, documentPage, fleetDocument, htmlReport } from '../../src/report/index.ts'
import { simulatedRun } from '../support/simulated-run.ts'
import { THREE_WAYS, waysToServe } from '../support/ways-to-serve.ts'

/** Where Debian puts it. Without a browser these tests are left out, except where TWOSPEED_BROWSER says that there must be one. */
const CHROMIUM = '/usr/bin/chromium'
const without = !existsSync(CHROMIUM) && process.env.TWOSPEED_BROWSER !== 'required'

function fileOf(page: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'twospeed-page-')), 'report.html')
  writeFileSync(file, page)
  return pathToFileURL(file).href
}

async function reportPage(): Promise<string> {
  const { header, records } = simulatedRun({ stepS: (batch) => 0.005 + 0.00025 * batch }, { loads: [1, 4, 16, 64] })
  return htmlReport(await summarizeRun(header, records))
}

const chat: Product = { name: 'chat', goal: 'pace', tokensPerSecond: 50 }
const candidates = waysToServe(THREE_WAYS)
const ofChoice = (): string => documentPage(choiceDocument(chooseAmong(candidates, chat, { gpuHour: 2.5 })))
const ofPools = (): string => {
  const demand = { arrivalsPerSecond: 40, inputTokens: 1000, outputTokens: 300, gpuHour: 2.5 }
  const agent: Product = { name: 'agent', goal: 'pace', tokensPerSecond: 100 }
  const plans = planProducts(candidates, [
    { product: chat, demand },
    { product: agent, demand },
  ])
  return documentPage(fleetDocument(plans))
}

let browser: Browser | undefined
beforeAll(async () => {
  if (without) return
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
}, 60_000)
afterAll(() => browser?.close())

interface Seen {
  readonly page: Page
  readonly close: () => Promise<void>
}

/** On a phone: asks for nothing but itself, complains of nothing, and the whole is not scrolled sideways. */
async function onPhone(content: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Seen> {
  if (browser === undefined) throw new Error('no browser')
  const page = await browser.newPage({ viewport: { width: 390, height: 800 }, colorScheme })
  const [asked, complaints]: [string[], string[]] = [[], []]
  page.on('request', (request) => asked.push(request.url()))
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  const url = fileOf(content)
  await page.goto(url)
  expect(asked).toEqual([url])
  expect(complaints).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
  return { page, close: () => page.close() }
}

test.skipIf(without)(
  'the page of a run draws the frontier and asks the network for nothing',
  async () => {
    const { page, close } = await onPhone(await reportPage())
    const frontier = page.locator('svg[role=img]').first()
    const box = await frontier.boundingBox()
    // Wide enough to read its labels, inside a box of its own that scrolls.
    expect(box?.width).toBeGreaterThanOrEqual(560)
    expect(box?.height).toBeGreaterThan(300)
    expect(await frontier.locator('circle').count()).toBeGreaterThanOrEqual(4)
    expect(await page.locator('table').first().textContent()).toMatch(/64/)
    const verdict = await page.locator('.points tbody tr').first().locator('td').last().boundingBox()
    expect(verdict).not.toBeNull()
    expect((verdict?.x ?? 0) + (verdict?.width ?? 0)).toBeLessThanOrEqual(390)
    await close()
  },
  60_000,
)

const brightness = 'getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]'

test.skipIf(without).each([
  ['a choice among several', ofChoice],
  ['several pools', ofPools],
] as const)(
  'the page of %s is read on a phone, by day and by night',
  async (_, content) => {
    const day = await onPhone(content())
    expect(await day.page.evaluate(brightness)).toBeGreaterThan(200)
    expect(await day.page.locator('h1').boundingBox()).toMatchObject({ width: expect.closeTo(350, -1) })
    await day.close()
    const night = await onPhone(content(), 'dark')
    expect(await night.page.evaluate(brightness)).toBeLessThan(60)
    await night.close()
  },
  60_000,
)
