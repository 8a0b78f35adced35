// The table of a run: a row for each figure, with its target.

export interface ReportRow {
  what: string
  twain: string
  comparedWith: string
  figure: string
  target: string
  /** Null: for information, without a target. */
  met: boolean | null
}

export function printTable(reportRows: ReportRow[]): string {
  const head = ['', 'Twain', 'compared with', 'ratio', 'target', '']
  const rows = reportRows.map((row) => [
    row.what,
    row.twain,
    row.comparedWith,
    row.figure,
    row.target,
    row.met === null ? '' : row.met ? 'met' : 'MISSED',
  ])
  return layTable(head, rows)
}

/** Markdown that reads well as text. */
export function layTable(head: string[], rows: string[][]): string {
  const widths = head.map((title, column) => Math.max(title.length, 3, ...rows.map((row) => row[column]!.length)))
  const lay = (cells: string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  return [lay(head), lay(widths.map((width) => '-'.repeat(width))), ...rows.map(lay)].join('\n')
}
