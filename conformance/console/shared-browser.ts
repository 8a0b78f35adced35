// One browser for all test files of a process: to start Chromium takes a second of CPU time. Each story has a context of its own.

import type { Browser } from 'playwright-core'
import { openBrowser } from '../harness/open-browser.ts'

/** The next file of the process opens it again sooner. */
const idleMs = 3000

let browser: Promise<Browser> | undefined
let users = 0
let idle: NodeJS.Timeout | undefined

export function shareBrowser(): Promise<Browser> {
  clearTimeout(idle)
  users++
  browser ??= openBrowser()
  return browser
}

/** The browser ends a moment after its last user. */
export function releaseBrowser(): void {
  users--
  if (users === 0) idle = setTimeout(closeBrowser, idleMs)
}

async function closeBrowser(): Promise<void> {
  const closing = browser
  browser = undefined
  await (await closing)?.close()
}
