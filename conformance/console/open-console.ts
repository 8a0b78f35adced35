// A service with the console, the browser of the process, and what the stories of the console share.

import assert from 'node:assert/strict'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { SignInLinks } from '../../packages/twain/src/http/index.ts'
import { buildConsole } from '../../scripts/build/build-console.ts'
import { TestService } from '../harness/test-service.ts'
import { releaseBrowser, shareBrowser } from './shared-browser.ts'

let built: Promise<string> | undefined

export class ConsoleStories {
  readonly service: TestService
  readonly links: SignInLinks
  /** Of the operator, for preparing and checking data. */
  readonly admin: { authorization: string }
  /** What no story may cause: requests to other hosts, violations of the policy, exceptions. */
  readonly violations: string[] = []
  readonly #browser: Browser
  readonly #pages: Page[] = []

  private constructor(service: TestService, links: SignInLinks, browser: Browser, token: string) {
    this.service = service
    this.links = links
    this.admin = { authorization: `Bearer ${token}` }
    this.#browser = browser
  }

  static async open(sdl: string, options: Parameters<typeof TestService.open>[2] = {}): Promise<ConsoleStories> {
    built ??= buildConsole() // once for all files of the process
    await built
    const links = new SignInLinks(() => {})
    const service = await TestService.open({ after() {} }, sdl, { ...options, consoleLinks: links })
    const browser = await shareBrowser()
    const { token } = await service.service.makeConsoleToken()
    return new ConsoleStories(service, links, browser, token)
  }

  /** A new tab without a session. */
  async tab(path = '', timezoneId = 'UTC'): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width: 1200, height: 700 }, timezoneId })
    const page = await context.newPage()
    page.setDefaultTimeout(20_000)
    page.on('request', (request) => {
      if (!request.url().startsWith(`${this.service.address}/`)) this.violations.push(request.url())
    })
    page.on('pageerror', (error) => this.violations.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) this.violations.push(message.text())
    })
    this.#pages.push(page)
    await page.goto(`${this.service.address}/console${path}`)
    return page
  }

  /** A new tab of the developer, signed in by a link. */
  async asDeveloper(path: string, timezoneId = 'UTC'): Promise<Page> {
    return this.tab(`${path}#key=${this.links.make()}`, timezoneId)
  }

  async asAccount(name: string, path: string): Promise<Page> {
    const page = await this.tab(path)
    await page.getByLabel('Email').fill(`${name}@example.org`)
    await page.getByLabel('Password', { exact: true }).fill('a long password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    return page
  }

  /** The row as it is in the database. */
  row(path: string): Promise<Record<string, unknown>> {
    return this.service.succeed('GET', path, undefined, this.admin)
  }

  async closePages(): Promise<void> {
    for (const page of this.#pages.splice(0)) await page.context().close()
  }

  async close(): Promise<void> {
    await this.closePages()
    releaseBrowser()
    await this.service.close()
  }
}

/** The texts of a column, from the top. */
export async function columnTexts(page: Page, column: number, count: number): Promise<string[]> {
  const cells = page.locator(`[role=gridcell][aria-colindex="${column}"]`)
  await cells.nth(count - 1).waitFor()
  return (await cells.allTextContents()).slice(0, count)
}

export function cell(page: Page, text: string) {
  return page.getByRole('gridcell', { name: text, exact: true })
}

/** Waits until nothing is left to save. */
export async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' })
}

export async function expectAddress(page: Page, path: string): Promise<void> {
  await page.waitForURL((url) => url.pathname + url.search === path)
  assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, path)
}

/** Only once: the store makes no difference to a page, and axe takes seconds of CPU. */
export async function expectAccessible(page: Page, view: string): Promise<void> {
  if (process.env.TWAIN_TEST_STORE === 'postgres') return
  await page.evaluate(axe.source)
  const violations = await page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as { axe: typeof axe }
    const result = await checker.run({ resultTypes: ['violations'] })
    return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)
  })
  assert.deepEqual(violations, [], view)
}

/** Answers one request in place of the server. The route stays: when the last one ends, Chromium may lose a request that is on its way. */
export async function answerOnce(page: Page, url: string | ((url: URL) => boolean), status: number): Promise<void> {
  let isAnswered = false
  await page.route(url, (route) => {
    if (isAnswered) return route.continue()
    isAnswered = true
    return route.fulfill({ status })
  })
}
