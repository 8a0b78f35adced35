// Reads tables of the documentation, for tests that compare them with the code.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const docs = join(import.meta.dirname, '../../../../docs')

/** The cells of the first table below a heading, without its head. */
export function docTable(file: string, heading: string): string[][] {
  const doc = readFileSync(join(docs, file), 'utf8')
  const section = doc.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? []
  const [, , ...rows] = table.trimEnd().split('\n')
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}
