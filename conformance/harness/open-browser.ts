// Chromium for tests, headless, with a new profile and without connections to other machines. Where it is not installed, tests that
// need it are skipped (`noBrowser`).

import { type Browser, chromium } from 'playwright-core'
import { findChromium } from './find-chromium.ts'

const executablePath = findChromium()

/** The reason to skip tests that need a browser; false where there is one. */
export const noBrowser =
  executablePath === null ? 'NO BROWSER: no Chromium was found; set CHROMIUM to one to run this' : false

/** Playwright creates and deletes a profile folder for each. No sandbox: root can't have one. */
export function openBrowser(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: executablePath!,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...more,
    ],
  })
}
