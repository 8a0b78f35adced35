// Facts about exact sums and averages that both databases share.

import { ApiError, type Scaled } from '#base'

/** Averages have so many digits after the point. */
export const averagePlaces = 20

/** Two averages that differ, differ within so many digits after the point: their sums have at most 342 (of the smallest doubles),
 *  and each count at most 19. */
export const quotientPlaces = 400

/** Of two equally near numbers the one whose last digit is even. */
export function roundHalfEven({ units, places }: Scaled): Scaled {
  if (places <= averagePlaces) return { units, places }
  const divisor = 10n ** BigInt(places - averagePlaces)
  const whole = units / divisor
  const rest = 2n * (units - whole * divisor)
  const size = rest < 0n ? -rest : rest
  const isUp = size > divisor || (size === divisor && whole % 2n !== 0n)
  return { units: isUp ? whole + (units < 0n ? -1n : 1n) : whole, places: averagePlaces }
}

/** The API has no number for a sum of Floats beyond a double. */
export function sumOutOfRange(): ApiError {
  const message = 'The sum is larger than a Float can be.'
  return new ApiError('VALIDATION_FAILED', message, {
    hint: 'Sum fewer rows at once, or declare the field as Decimal.',
    problems: [{ path: 'sum', code: 'RANGE', message }],
  })
}
