// How long `@softDelete(keep:)` keeps deleted rows, and `@history(keep:)` the changes of rows: `30d`.

export const defaultKeep = '30d'
export const defaultHistoryKeep = '1y'

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_536_000 }

/** No longer than a century: later times have no text of four digits for the year. */
const maxSeconds = 100 * 31_536_000

/** `30d` in seconds; null if the text is no such time. */
export function keepSeconds(text: string): number | null {
  const [, amount, unit] = /^([1-9]\d{0,9})([smhdwy])$/.exec(text) ?? []
  if (amount === undefined) return null
  const seconds = Number(amount) * units[unit!]!
  return seconds <= maxSeconds ? seconds : null
}
