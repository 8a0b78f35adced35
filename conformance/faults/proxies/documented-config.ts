// A configuration of docs/operations/proxies.md with the addresses of a test, so that the tests try what readers copy.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const page = join(import.meta.dirname, '../../../docs/operations/proxies.md')

/** `places`: texts of the page, and their replacements. A text that the page does not have is a mistake. */
export function pageBlock(language: string, places: readonly (readonly [string, string])[]): string {
  const blocks = readFileSync(page, 'utf8').split(`\n\`\`\`${language}\n`)
  if (blocks.length !== 2) throw new Error(`docs/operations/proxies.md has ${blocks.length - 1} blocks of ${language}.`)
  let text = blocks[1]!.slice(0, blocks[1]!.indexOf('\n```') + 1)
  for (const [there, here] of places) {
    if (!text.includes(there))
      throw new Error(`docs/operations/proxies.md has no "${there}" in its block of ${language}.`)
    text = text.replaceAll(there, here)
  }
  return text
}
