// Between a value and the text that a person types for it.

import { enumNamed, type FieldModel, isListType } from '../api/model.ts'
import { texts } from '../texts.ts'

export type ParsedText = { value: unknown } | { mistake: string }

/** The name of a type that no schema has. */
export const passwordType = ' password'

const plainTypes = [passwordType, 'String', 'ID', 'Date', 'Decimal', 'BigInt']

/** Whether the value is written as JSON: lists, values, JSON, and scalars of the schema file. */
export function isJsonText({ type }: FieldModel): boolean {
  return isListType(type) || ![...plainTypes, 'Int', 'Float', 'DateTime', 'Boolean'].includes(type)
}

export function printText(field: FieldModel, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (isJsonText(field)) return JSON.stringify(value, null, 2)
  return field.type === 'DateTime' ? localTime(String(value)) : String(value)
}

export function parseText(field: FieldModel, text: string): ParsedText {
  if (isJsonText(field)) return text.trim() === '' ? { value: null } : parseJson(field, text)
  if (field.type === 'Decimal' || field.type === 'BigInt') return parseExact(field.type, text.trim())
  if (plainTypes.includes(field.type)) return { value: text === '' && field.type !== 'String' ? null : text }
  if (text.trim() === '') return { value: null }
  if (field.type === 'DateTime') {
    const time = new Date(text)
    return Number.isNaN(time.getTime()) ? { mistake: texts.notTime } : { value: time.toISOString() }
  }
  const number = Number(text)
  if (!Number.isFinite(number)) return { mistake: texts.notNumber }
  return field.type === 'Int' && !Number.isInteger(number) ? { mistake: texts.notWhole } : { value: number }
}

/** The text itself: a number of JavaScript would lose digits. */
function parseExact(type: 'Decimal' | 'BigInt', text: string): ParsedText {
  if (text === '') return { value: null }
  const isRight = type === 'Decimal' ? /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) : /^[+-]?\d+$/.test(text)
  if (isRight) return { value: text }
  return { mistake: type === 'Decimal' ? texts.notExact : texts.notBigInt }
}

function parseJson({ type }: FieldModel, text: string): ParsedText {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { mistake: isListType(type) ? texts.notList : texts.notJson }
  }
}

/** As `datetime-local` takes it: in the time zone of the browser, to the millisecond. */
function localTime(text: string): string {
  const time = new Date(text)
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, -1)
}

/** The values of an enum or a Boolean; null: any. */
export function choicesOf({ type }: FieldModel): readonly string[] | null {
  return type === 'Boolean'
    ? [texts.trueValue, texts.falseValue]
    : (enumNamed(type)?.values.map(({ name }) => name) ?? null)
}

/** Whether a character that is typed on a cell can be the beginning of a value. */
export function takesTypedKey(field: FieldModel): boolean {
  return field.kind === 'value' && choicesOf(field) === null && !['DateTime', 'Date'].includes(field.type)
}

/** Like typed text, with enums and Booleans by their names: the cell of a spreadsheet. Times may have a time zone of their own. */
export function parseCellText(field: FieldModel, text: string): ParsedText {
  const choices = choicesOf(field)
  if (choices === null) return parseText(field, text)
  if (text === '') return { value: null }
  const choice = choices.find((one) => one.toLowerCase() === text.trim().toLowerCase())
  if (choice === undefined) return { mistake: texts.notChoice(choices.join(', ')) }
  return { value: field.type === 'Boolean' ? choice === 'true' : choice }
}
