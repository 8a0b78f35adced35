// The part of a time in a zone, from the local fields that Intl prints. It shares nothing with the rules of zones that the
// databases get.

type Part = 'HOUR' | 'DAY' | 'WEEK' | 'MONTH' | 'QUARTER' | 'YEAR'

const dayMs = 86_400_000
const formats = new Map<string, Intl.DateTimeFormat>()

/** `moment` is a canonical DateTime. */
export function localKey(moment: string, part: Part, timeZone: string): string {
  const time = Date.parse(moment)
  const local = localTime(time, timeZone)
  if (part === 'HOUR') return `${local.slice(0, 13)}:00:00.000${offsetText(Date.parse(`${local}Z`) - time)}`
  return dateKey(local.slice(0, 10), part)
}

function dateKey(date: string, part: Exclude<Part, 'HOUR'>): string {
  const [year, month] = [date.slice(0, 4), Number(date.slice(5, 7))]
  switch (part) {
    case 'DAY':
      return date
    case 'WEEK': {
      const day = new Date(`${date}T00:00:00Z`)
      return new Date(day.getTime() - ((day.getUTCDay() + 6) % 7) * dayMs).toISOString().slice(0, 10)
    }
    case 'MONTH':
      return `${date.slice(0, 7)}-01`
    case 'QUARTER':
      return `${year}-${String(month - ((month - 1) % 3)).padStart(2, '0')}-01`
    case 'YEAR':
      return `${year}-01-01`
  }
}

/** `2026-01-31T09:30:00.000`. */
function localTime(time: number, timeZone: string): string {
  let format = formats.get(timeZone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
    formats.set(timeZone, format)
  }
  const milliseconds = new Date(time).toISOString().slice(19, 23)
  return format.format(time).replace(' ', 'T') + milliseconds
}

function offsetText(offset: number): string {
  if (offset === 0) return 'Z'
  const minutes = Math.abs(offset) / 60_000
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`
}
