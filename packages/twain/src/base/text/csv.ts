// Writes CSV (RFC 4180).

/** One record, with its line break. */
export function csvRecord(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`
}

/** Empty for null and absent values; `""` for an empty string. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
