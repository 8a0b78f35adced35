// Checks that a text is CSV (RFC 4180) with a header line, and prints rows as CSV.

/** A sentence for what is wrong; null when nothing is. */
export function csvProblem(text: string): string | null {
  const records = readCsv(text)
  if (records === null) return 'the body is no CSV'
  const [header = []] = records
  if (header.length === 0 || header.some((name) => name === '')) return 'the CSV has no header line'
  if (new Set(header).size < header.length) return 'the CSV has two columns of one name'
  const wrong = records.findIndex((record) => record.length !== header.length)
  return wrong < 0 ? null : `line ${wrong} of the CSV has ${records[wrong]!.length} cells, not ${header.length}`
}

const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y

/** Null when it is no CSV, or its last line does not end. */
function readCsv(text: string): string[][] | null {
  const records: string[][] = []
  let record: string[] = []
  cell.lastIndex = 0
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text)
    if (match === null) return null
    record.push(match[1]?.replaceAll('""', '"') ?? match[2]!)
    if (match[3] === ',') continue
    records.push(record)
    record = []
  }
  return record.length === 0 ? records : null
}

/** A row as a body, without changes of lists (`_tags`). */
export function printCsv(row: unknown): string {
  const members = Object.entries(row as object).filter(([name]) => !name.startsWith('_'))
  const cells = members.map(([, value]) => (value === null ? '' : quoted(textOf(value))))
  return `${members.map(([name]) => quoted(name)).join(',')}\r\n${cells.join(',')}\r\n`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}
