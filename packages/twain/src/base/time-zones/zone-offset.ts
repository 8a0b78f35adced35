// The offset of a time zone at a moment, by the zone data of Node (`Intl`).

const formats = new Map<string, Intl.DateTimeFormat>()

/** Local time minus UTC, in milliseconds. */
export function zoneOffset(timeZone: string, moment: number): number {
  const text = formatOf(timeZone).format(moment)
  const [, sign, hours, minutes, seconds] = offsetForm.exec(text) ?? []
  const size = (Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)) * 1000
  return sign === '-' ? -size : size
}

/** UTC itself is `GMT`. Local times of cities before there were zones have seconds. */
const offsetForm = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', timeZoneName: 'longOffset' })
    formats.set(timeZone, format)
  }
  return format
}

/** The name as the zone data spells it; null if there is no such zone. `+02:00` is one too. */
export function canonicalTimeZone(name: string): string | null {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return null
  }
}

export function timeZoneNames(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone')]
}
