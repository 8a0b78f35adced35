// The cells of one CSV record (RFC 4180).

export type CsvSeparator = ',' | ';' | '\t'

/** Null: an empty cell without quotes. */
export type CsvCell = string | null

/** The separator of a header: a comma, or what spreadsheets of some languages write instead. */
export function separatorOf(header: string): CsvSeparator {
  for (const separator of [',', ';', '\t'] as const) if (csvCells(header, separator).length > 1) return separator
  return ','
}

export function csvCells(record: string, separator: CsvSeparator): CsvCell[] {
  const text = record.replace(/\r?\n?$/, '')
  const cells: CsvCell[] = []
  for (let at = 0; ; ) {
    if (text[at] === '"') {
      const end = endOfQuoted(text, at)
      const next = text.indexOf(separator, end)
      const behind = text.slice(end, next < 0 ? undefined : next) // spaces, in most files nothing
      cells.push(text.slice(at + 1, end - 1).replaceAll('""', '"') + behind.trimEnd())
      if (next < 0) return cells
      at = next + 1
    } else {
      const next = text.indexOf(separator, at)
      const cell = text.slice(at, next < 0 ? undefined : next)
      cells.push(cell === '' ? null : cell)
      if (next < 0) return cells
      at = next + 1
    }
  }
}

/** The index behind the closing quote. */
function endOfQuoted(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    at = text.indexOf('"', at)
    if (at < 0) return text.length + 1
    if (text[at + 1] !== '"') return at + 1
    at++
  }
}
