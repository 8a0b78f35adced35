// Exact fractions of BigInts, to check sums and averages with.

import { decimal } from './order-rows.ts'

export interface Ratio {
  above: bigint
  below: bigint
}

/** The number of a text such as `-12.5e-7`; of a double, that of its shortest text. */
export function ratioOf(value: number | string): Ratio {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(String(value))!
  const digits = BigInt(`${sign}${whole}${fraction}`)
  const power = Number(exponent) - fraction.length
  return power >= 0
    ? { above: digits * 10n ** BigInt(power), below: 1n }
    : { above: digits, below: 10n ** BigInt(-power) }
}

export function add(a: Ratio, b: Ratio): Ratio {
  if (a.below === b.below) return { above: a.above + b.above, below: a.below }
  return { above: a.above * b.below + b.above * a.below, below: a.below * b.below }
}

export function compareRatios(a: Ratio, b: Ratio): number {
  const difference = a.above * b.below - b.above * a.below
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** With so many digits after the point; of two equally near numbers the even one. */
export function roundedText({ above, below }: Ratio, places: number): string {
  const scaled = above * 10n ** BigInt(places)
  const rest = ((scaled % below) + below) % below
  const floor = (scaled - rest) / below
  const isUp = 2n * rest > below || (2n * rest === below && floor % 2n !== 0n)
  return decimal(isUp ? floor + 1n : floor, places)
}

/** The nearest double. The text has a digit more if the fraction goes on, so that it is no tie. */
export function nearestDouble({ above, below }: Ratio): number {
  const places = 1200
  const scaled = above * 10n ** BigInt(places)
  const digits = scaled / below
  const goesOn = scaled % below !== 0n
  return Number(decimal(digits * 10n + (goesOn ? (above < 0n ? -1n : 1n) : 0n), places + 1)) + 0
}
