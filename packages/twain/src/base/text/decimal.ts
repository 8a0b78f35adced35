// Exact decimals and integers of any size as text: a canonical form, and a sort key whose text order is the numeric order.

const decimalPattern = /^([+-]?)(\d+)(?:\.(\d+))?$/
const maxDigits = 200

/** The canonical form (`007.50` is `7.5`), or null if the text is no number or too long. */
export function canonicalDecimal(text: string): string | null {
  const match = decimalPattern.exec(text)
  if (!match || text.length > maxDigits) return null
  const whole = match[2]!.replace(/^0+(?=\d)/, '')
  const fraction = (match[3] ?? '').replace(/0+$/, '')
  const magnitude = fraction === '' ? whole : `${whole}.${fraction}`
  return match[1] === '-' && magnitude !== '0' ? `-${magnitude}` : magnitude
}

/** Like canonicalDecimal, for integers only. */
export function canonicalInteger(text: string): string | null {
  return /^[+-]?\d+$/.test(text) ? canonicalDecimal(text) : null
}

/** A decimal as whole `units` of ten to the power of minus `places`. */
export interface Scaled {
  units: bigint
  places: number
}

/** The exact sum of two canonical decimals; null if it is too long. */
export function addDecimals(a: string, b: string): string | null {
  const [left, right] = [scaledOf(a), scaledOf(b)]
  const places = Math.max(left.places, right.places)
  return canonicalDecimal(scaledText({ units: unitsOf(left, places) + unitsOf(right, places), places }))
}

export function scaledOf(canonical: string): Scaled {
  const [whole = '', fraction = ''] = canonical.split('.')
  return { units: BigInt(whole + fraction), places: fraction.length }
}

function unitsOf({ units, places }: Scaled, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - places)
}

/** The canonical decimal, however long. */
export function scaledText({ units, places }: Scaled): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  const fraction = digits.slice(whole.length).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** The canonical decimal of a finite double, without an exponent: 1e-7 is `0.0000001`. */
export function numberDigits(value: number): string {
  const [digits = '', exponent] = String(value).split('e')
  if (exponent === undefined) return digits
  const [, sign, whole, fraction = ''] = /^(-?)(\d)(?:\.(\d+))?$/.exec(digits)!
  const shift = Number(exponent)
  if (shift < 0) return `${sign}0.${'0'.repeat(-shift - 1)}${whole}${fraction}`
  return `${sign}${whole}${fraction.padEnd(shift, '0')}`
}

/** A text whose order by code point is the numeric order: sign, number of integer digits, digits. The digits of a negative number
 *  are complemented and end with `~`, so that longer ones sort first. */
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
