// A cron expression: five fields, each `*`, a value, a range, a list of these, or one of them with a step. Months and weekdays
// have names. As in every cron, a day matches by its date or by its weekday if both fields are restricted.

export interface Cron {
  minutes: readonly number[]
  hours: readonly number[]
  /** By the date: the day of the month from 1, the month from 1, the weekday from 0 for Sunday. */
  isOnDay(day: number, month: number, weekday: number): boolean
}

interface CronField {
  name: string
  min: number
  max: number
  /** Names of the values, from `min` on. */
  names: readonly string[]
}

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

const fields: readonly CronField[] = [
  { name: 'minute', min: 0, max: 59, names: [] },
  { name: 'hour', min: 0, max: 23, names: [] },
  { name: 'day of the month', min: 1, max: 31, names: [] },
  { name: 'month', min: 1, max: 12, names: months },
  { name: 'weekday', min: 0, max: 7, names: weekdays },
]

/** The longest days of each month, from January on. */
const monthDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The message says what is wrong, and where. */
export class CronMistake extends Error {}

export function parseCron(text: string): Cron {
  const parts = text.trim().split(/\s+/)
  if (text.trim() === '' || parts.length !== fields.length) {
    const count = text.trim() === '' ? 0 : parts.length
    throw new CronMistake(
      `"${text}" has ${count} fields; a cron expression has five: minute, hour, day of the month, month, weekday.`,
    )
  }
  const [minutes, hours, days, monthsOf, rawWeekdays] = fields.map((field, index) => parseField(parts[index]!, field))
  const weekdaysOf = new Set(rawWeekdays!.map((weekday) => weekday % 7)) // 7 is Sunday, too
  const [daySet, monthSet] = [new Set(days), new Set(monthsOf)]
  const isAnyDay = parts[2]!.startsWith('*')
  const isAnyWeekday = parts[4]!.startsWith('*')
  if (isAnyWeekday && !monthsOf!.some((month) => days!.some((day) => day <= monthDays[month - 1]!)))
    throw new CronMistake(`"${text}" never happens: no month that it names has such a day.`)
  return {
    minutes: minutes!,
    hours: hours!,
    isOnDay(day, month, weekday) {
      if (!monthSet.has(month)) return false
      if (isAnyDay || isAnyWeekday) return daySet.has(day) && weekdaysOf.has(weekday)
      return daySet.has(day) || weekdaysOf.has(weekday)
    },
  }
}

/** The values, in their order. */
function parseField(text: string, field: CronField): number[] {
  const values = new Set<number>()
  for (const item of text.split(',')) for (const value of parseItem(item, field)) values.add(value)
  return [...values].sort((a, b) => a - b)
}

function* parseItem(item: string, field: CronField): Generator<number> {
  const [range = '', step, ...more] = item.split('/')
  if (more.length > 0) throw mistake(item, field)
  const by = step === undefined ? 1 : Number(step)
  if (step !== undefined && (!/^\d{1,2}$/.test(step) || by === 0))
    throw new CronMistake(`"${item}" in the field ${field.name}: the step after "/" must be a whole number from 1 on.`)
  const [from, to] = rangeOf(range, step !== undefined, item, field)
  if (from > to) throw new CronMistake(`"${item}" in the field ${field.name}: the range ends before it begins.`)
  for (let value = from; value <= to; value += by) yield value
}

/** `hasStep`: `5/10` means from 5 to the end. */
function rangeOf(range: string, hasStep: boolean, item: string, field: CronField): [from: number, to: number] {
  if (range === '*') return [field.min, field.name === 'weekday' ? 6 : field.max]
  const [first = '', last, ...more] = range.split('-')
  if (more.length > 0) throw mistake(item, field)
  const from = parseValue(first, item, field)
  if (last !== undefined) return [from, parseValue(last, item, field)]
  return [from, hasStep ? field.max : from]
}

function parseValue(text: string, item: string, field: CronField): number {
  const named = field.names.indexOf(text.toUpperCase())
  const value = named >= 0 ? named + field.min : Number(text)
  if (!/^(\d{1,2}|[a-z]{3})$/i.test(text) || !(value >= field.min && value <= field.max)) throw mistake(item, field)
  return value
}

function mistake(item: string, { name, min, max, names }: CronField): CronMistake {
  const words = names.length === 0 ? '' : ` or ${names[0]} to ${names.at(-1)}`
  return new CronMistake(
    `"${item}" in the field ${name}: it takes ${min} to ${max}${words}, as a value, a range (1-5), a list (1,3) or with a step (*/15).`,
  )
}
