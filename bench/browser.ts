import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'

/** Where Debian puts it. */
const CHROMIUM = '/usr/bin/chromium'
export const hasBrowser: boolean = existsSync(CHROMIUM)

/** Answered from the project's folder without a network: modules may not be imported from `file:`. */
const ORIGIN = 'http://twospeed.test'

/** An empty page that can import the project's built files by their paths; `use` has it, and the browser's name. */
export async function inBrowser<T>(use: (page: Page, name: string) => Promise<T>): Promise<T> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const page = await browser.newPage()
    await page.route('**', (route) => {
      const { origin, pathname } = new URL(route.request().url())
      if (origin !== ORIGIN) return route.abort()
      if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: '<!doctype html>' })
      const path = fileURLToPath(new URL(`..${pathname}`, import.meta.url))
      return existsSync(path) ? route.fulfill({ path, contentType: 'text/javascript' }) : route.fulfill({ status: 404 })
    })
    await page.goto(ORIGIN)
    return await use(page, `chromium ${browser.version()}`)
  } finally {
    await browser.close()
  }
}
