// A configuration as docs/operations/proxies.md prints it, with the places of a test put in: what is tried is what people copy.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const page = join(import.meta.dirname, '../../../docs/operations/proxies.md')

/** `places`: what stands in the page, and what is put there; one that the page has not is a mistake. */
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
