// A Chromium for tests, without a window, a profile of its own and a word to anybody outside of this machine. Where there is
// none, tests that want one are skipped and say so (`noBrowser`).

import { type Browser, chromium } from 'playwright-core'
import { findChromium } from './find-chromium.ts'

const executablePath = findChromium()

/** Why the tests of a browser do not run; false where they do. */
export const noBrowser =
  executablePath === null ? 'NO BROWSER: no Chromium was found; set CHROMIUM to one to run this' : false

/** Playwright makes a new profile folder for each, and takes it away. No sandbox: as root it can't be had. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: executablePath!,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  })
}
