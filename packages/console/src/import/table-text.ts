// Lines of cells: CSV, and the text of a clipboard. A cell with a separator, a line break or quotes stands in quotes, with its own doubled.

export interface TextLine {
  /** Where it begins, from 1. */
  line: number
  cells: string[]
}

export function parseTableText(text: string, separator: string): TextLine[] {
  const other = `[^${separator}\\r\\n]`
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"(?=[${separator}\\r\\n]|$)|(${other}*))(${separator}|\\r\\n|\\n|\\r|$)`,
    'y',
  )
  const lines: TextLine[] = [{ line: 1, cells: [] }]
  let line = 1
  while (cell.lastIndex <= text.length) {
    const [whole, quoted, plain = '', end] = cell.exec(text) ?? ['', undefined, '', '']
    lines.at(-1)!.cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    line += whole.match(/\r\n|\n|\r/g)?.length ?? 0
    if (end === '') break
    if (end !== separator) lines.push({ line, cells: [] })
  }
  return lines.filter(({ cells }) => cells.length > 1 || cells[0] !== '')
}

/** The separator of a CSV file: the one that its first line has most. */
export function separatorOf(text: string): string {
  const [head = ''] = text.split(/\r?\n/, 1)
  const counted = [',', ';', '\t'].map((one) => ({ one, count: head.split(one).length }))
  return counted.reduce((best, next) => (next.count > best.count ? next : best)).one
}
