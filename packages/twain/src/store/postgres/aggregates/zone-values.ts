// What a statement has to know of a time zone, as parameters.

import { unreachable, zoneRules } from '#base'
import type { ZoneValue } from '../../sql/encode.ts'

export function zoneValueType(value: ZoneValue): string {
  switch (value) {
    case 'starts':
      return 'timestamp[]'
    case 'offsets':
      return 'integer[]'
    case 'name':
    case 'sameDayFrom':
    case 'sameDayUntil':
    case 'wholeHoursFrom':
      return 'text'
    default:
      return unreachable(value)
  }
}

/** Lists are array literals. */
export function encodeZone(timeZone: string, value: ZoneValue): string {
  if (value === 'name') return timeZone
  const part = zoneRules(timeZone)[value]
  return typeof part === 'string' ? part : `{${part.join(',')}}`
}
