// Exact decimals and integers of any size as text: one spelling for each number, and a key whose text order is theirs.

const decimalPattern = /^([+-]?)(\d+)(?:\.(\d+))?$/
const maxDigits = 200

/** The one spelling of the number (`007.50` is `7.5`), or null when the text is none or is too long. */
export function canonicalDecimal(text: string): string | null {
  const match = decimalPattern.exec(text)
  if (!match || text.length > maxDigits) return null
  const whole = match[2]!.replace(/^0+(?=\d)/, '')
  const fraction = (match[3] ?? '').replace(/0+$/, '')
  const magnitude = fraction === '' ? whole : `${whole}.${fraction}`
  return match[1] === '-' && magnitude !== '0' ? `-${magnitude}` : magnitude
}

/** As canonicalDecimal, for whole numbers only. */
export function canonicalInteger(text: string): string | null {
  return /^[+-]?\d+$/.test(text) ? canonicalDecimal(text) : null
}

/** The digits of a finite double as JavaScript gives them, canonical and without an exponent: 1e-7 is `0.0000001`. */
export function numberDigits(value: number): string {
  const [digits = '', exponent] = String(value).split('e')
  if (exponent === undefined) return digits
  const [, sign, whole, fraction = ''] = /^(-?)(\d)(?:\.(\d+))?$/.exec(digits)!
  const shift = Number(exponent)
  if (shift < 0) return `${sign}0.${'0'.repeat(-shift - 1)}${whole}${fraction}`
  return `${sign}${whole}${fraction.padEnd(shift, '0')}`
}

/** Text whose order by code point is the order of the canonical numbers: sign, number of whole digits, digits. A negative
 *  number's digits are turned over and ended by a `~`, so that more of them come earlier. */
export function decimalSortKey(canonical: string): string {
  const negative = canonical.startsWith('-')
  const [whole = '0', fraction = ''] = (negative ? canonical.slice(1) : canonical).split('.')
  const digits = `${String(whole.length).padStart(3, '0')}${whole}${fraction}`
  if (!negative) return `1${digits}`
  return `0${digits.replace(/\d/g, (digit) => String(9 - Number(digit)))}~`
}

export function compareDecimals(a: string, b: string): number {
  const left = decimalSortKey(a)
  const right = decimalSortKey(b)
  return left < right ? -1 : left > right ? 1 : 0
}
