import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { summarizeRun } from '../../src/model/index.ts'
import { htmlReport } from '../../src/report/index.ts'
import { simulatedRun } from '../support/simulated-run.ts'

/** Where Debian puts it. Without a browser these tests are left out, except where TWOSPEED_BROWSER says that there must be one. */
const CHROMIUM = '/usr/bin/chromium'
const without = !existsSync(CHROMIUM) && process.env.TWOSPEED_BROWSER !== 'required'

async function reportPage(): Promise<string> {
  const { header, records } = simulatedRun({ stepS: (batch) => 0.005 + 0.00025 * batch }, { loads: [1, 4, 16, 64] })
  const file = join(mkdtempSync(join(tmpdir(), 'twospeed-page-')), 'report.html')
  writeFileSync(file, htmlReport(await summarizeRun(header, records)))
  return pathToFileURL(file).href
}

test.skipIf(without)(
  'the page draws the frontier and asks the network for nothing',
  async () => {
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
    try {
      const page = await browser.newPage({ viewport: { width: 390, height: 800 } })
      const asked: string[] = []
      const complaints: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      page.on('console', (message) => complaints.push(message.text()))
      page.on('pageerror', (error) => complaints.push(error.message))
      const url = await reportPage()
      await page.goto(url)

      expect(asked).toEqual([url])
      expect(complaints).toEqual([])
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
      // A phone shows the page without a sideways scroll of the whole.
      expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
    } finally {
      await browser.close()
    }
  },
  60_000,
)
