// The built-in scalars: one record each, with everything that does not depend on a database or an API.
//
// A new scalar is a record here. The databases have records of their own (`store/sqlite/scalar-columns.ts`,
// `store/postgres/scalar-columns.ts`), which the compiler requires to be complete.

import {
  canonicalDateTime,
  canonicalDecimal,
  canonicalInteger,
  canonicalTime,
  isDate,
  numberDigits,
  type Problem,
} from '#base'
import { checkFinite, checkJson, checkText, problem } from './check-json.ts'

export interface Scalar {
  /** The declaration of the type; null: GraphQL itself declares it. */
  sdl: { description: string; specifiedBy: string | null } | null
  /** The type in a few words, for the printed contract. */
  summary: string
  /** The canonical value. Null after a problem. */
  check(value: unknown, path: string, problems: Problem[]): unknown
  /** The literals of GraphQL that can stand for a value. */
  literals: readonly ScalarLiteral[]
  /** What a literal can be, to follow the words "takes" and "can be". */
  literalWords: string
  /** Number literals stay text: a double would lose digits. */
  keepsDigits: boolean
  /** Which operators compare its values (`operators.ts`). Values that can be compared can be sorted and indexed too. */
  comparison: Comparison
  /** What `min` and `max` compare: doubles, exact numbers, or texts whose order is the order of the values. Numbers can be
   *  incremented. */
  range: 'number' | 'exact' | 'text' | null
  /** Any text is a value; `minLength`, `maxLength`, `pattern` and `format` apply. */
  isText: boolean
  /** How long a value can be: always about the same, at most some hundred bytes, or any length. */
  size: 'fixed' | 'bounded' | 'any'
  /** JSON Schema 2020-12, as in OpenAPI 3.1. */
  jsonSchema: Readonly<Record<string, string | number>>
  /** What custom code receives, and what it may return. */
  typescript: { input: string; output: string }
  /** The JSON value of a text in a query string or in XML. Other text stays text, and the check reports it. */
  fromText(text: string): unknown
  /** Null: the name of the field makes the example. */
  example: unknown
}

export type ScalarLiteral = 'int' | 'float' | 'string' | 'boolean' | 'any'

export type Comparison = 'none' | 'flag' | 'equality' | 'order' | 'text'

const rfc3339 = 'https://www.rfc-editor.org/rfc/rfc3339'

/** What most scalars share: a short text in JSON with an order. */
const orderedText = {
  literals: ['string'],
  keepsDigits: false,
  comparison: 'order',
  range: 'text',
  isText: false,
  size: 'fixed',
  typescript: { input: 'string', output: 'string' },
  fromText: (text: string) => text,
} as const

const double = {
  sdl: null,
  keepsDigits: false,
  comparison: 'order',
  range: 'number',
  isText: false,
  size: 'fixed',
  typescript: { input: 'number', output: 'number' },
  fromText: (text: string) => (numberForm.test(text) ? Number(text) : text),
} as const

const exactNumber = {
  ...orderedText,
  keepsDigits: true,
  range: 'exact',
  size: 'bounded',
  typescript: { input: 'string', output: 'string | number | bigint' },
} as const

const text = {
  ...orderedText,
  sdl: null,
  range: null,
  isText: true,
  jsonSchema: { type: 'string' },
  example: null,
} as const

const scalars = {
  Int: {
    ...double,
    summary: 'signed 32-bit integer',
    check(value, path, problems) {
      if (typeof value !== 'number' || !Number.isInteger(value)) {
        return problem(problems, path, 'TYPE', 'must be a whole number.')
      }
      if (value < -2147483648 || value > 2147483647) {
        return problem(problems, path, 'RANGE', 'must be between -2147483648 and 2147483647 (32 bits).')
      }
      return value + 0 // −0 becomes 0
    },
    literals: ['int'],
    literalWords: 'a whole number of 32 bits',
    jsonSchema: { type: 'integer', format: 'int32', minimum: -2147483648, maximum: 2147483647 },
    example: 1,
  },
  Float: {
    ...double,
    summary: 'finite double-precision number',
    check(value, path, problems) {
      if (typeof value !== 'number') return problem(problems, path, 'TYPE', 'must be a number.')
      return checkFinite(value, path, problems)
    },
    literals: ['int', 'float'],
    literalWords: 'a number',
    jsonSchema: { type: 'number', format: 'double' },
    example: 1.5,
  },
  String: {
    ...text,
    summary: 'UTF-8 characters',
    check: checkText,
    literalWords: 'a text in quotes, without NUL characters',
    comparison: 'text',
    size: 'any',
  },
  Boolean: {
    ...double,
    summary: 'true or false',
    check: (value, path, problems) =>
      typeof value === 'boolean' ? value : problem(problems, path, 'TYPE', 'must be true or false.'),
    literals: ['boolean'],
    literalWords: 'true or false',
    comparison: 'flag',
    range: null,
    jsonSchema: { type: 'boolean' },
    typescript: { input: 'boolean', output: 'boolean' },
    fromText: (text) => (text === 'true' ? true : text === 'false' ? false : text),
    example: true,
  },
  ID: {
    ...text,
    summary: 'unique identifier',
    check(value, path, problems) {
      if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
      return checkText(value, path, problems)
    },
    literals: ['string', 'int'],
    literalWords: 'an id in quotes, without NUL characters',
    keepsDigits: true,
    size: 'bounded',
    typescript: { input: 'string', output: 'string | number' },
  },
  DateTime: {
    ...orderedText,
    sdl: {
      description: 'A time (RFC 3339), in UTC with milliseconds: "2026-01-31T09:30:00.000Z".',
      specifiedBy: rfc3339,
    },
    summary: 'RFC 3339 date and time, in UTC with milliseconds',
    check: textCheck(canonicalDateTime, 'must be an RFC 3339 date and time such as "2026-01-31T09:30:00Z".'),
    literalWords: 'a time such as "2024-05-01T12:00:00Z"',
    jsonSchema: { type: 'string', format: 'date-time' },
    typescript: { input: 'string', output: 'string | Date' },
    example: '2026-01-31T09:30:00.000Z',
  },
  Date: {
    ...orderedText,
    sdl: { description: 'A calendar date: "2026-01-31".', specifiedBy: rfc3339 },
    summary: 'RFC 3339 date',
    check: textCheck((text) => (isDate(text) ? text : null), 'must be a date such as "2026-01-31".'),
    literalWords: 'a day such as "2024-05-01"',
    jsonSchema: { type: 'string', format: 'date' },
    example: '2026-01-31',
  },
  Time: {
    ...orderedText,
    sdl: {
      description: 'A time of day without a time zone (RFC 3339, partial-time): "09:30:00" or "09:30:00.250".',
      specifiedBy: rfc3339,
    },
    summary: 'RFC 3339 time of day, without a time zone',
    check: textCheck(canonicalTime, 'must be a time of day such as "09:30:00", without a time zone.'),
    literalWords: 'a time of day such as "09:30:00"',
    // `time` of JSON Schema has an offset. `time-local` is the format of the OpenAPI registry for a time without one.
    jsonSchema: {
      type: 'string',
      format: 'time-local',
      pattern: '^([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d+)?$',
    },
    example: '09:30:00',
  },
  JSON: {
    sdl: { description: 'Any JSON value.', specifiedBy: 'https://www.rfc-editor.org/rfc/rfc8259' },
    summary: 'any JSON',
    check: (value, path, problems) => checkJson(value, path, problems),
    literals: ['any'],
    literalWords: 'any JSON',
    keepsDigits: false,
    comparison: 'none',
    range: null,
    isText: false,
    size: 'any',
    jsonSchema: { description: 'Any JSON.' },
    typescript: { input: 'unknown', output: 'unknown' },
    fromText: jsonOrText,
    example: { any: 'JSON' },
  },
  Decimal: {
    ...exactNumber,
    sdl: { description: 'An exact decimal number, as a string: "19.90".', specifiedBy: null },
    summary: 'exact decimal number, a string in JSON',
    check: digitsCheck(
      canonicalDecimal,
      'must be a decimal number of at most 200 digits, as a string such as "19.90".',
    ),
    literals: ['string', 'int', 'float'],
    literalWords: 'a number such as "12.50"',
    jsonSchema: {
      type: 'string',
      maxLength: 200,
      pattern: '^[+-]?\\d+(\\.\\d+)?$',
      description: 'An exact decimal number.',
    },
    example: '19.9',
  },
  BigInt: {
    ...exactNumber,
    sdl: { description: 'An exact integer of any size, as a string: "9007199254740993".', specifiedBy: null },
    summary: 'exact integer, a string in JSON',
    check: digitsCheck(
      canonicalInteger,
      'must be a whole number of at most 200 digits, as a string such as "9007199254740993".',
    ),
    literals: ['string', 'int'],
    literalWords: 'a whole number such as "9007199254740993"',
    jsonSchema: {
      type: 'string',
      maxLength: 200,
      pattern: '^[+-]?\\d+$',
      description: 'An exact whole number of any size.',
    },
    example: '9007199254740993',
  },
} as const satisfies Record<string, Scalar>

export type ScalarName = keyof typeof scalars

export const scalarNames = Object.keys(scalars) as readonly ScalarName[]

export function isScalarName(name: string): name is ScalarName {
  return Object.hasOwn(scalars, name)
}

/** The record as its interface has it. */
export function scalarOf(name: ScalarName): Scalar {
  return scalars[name]
}

type ScalarCheck = Scalar['check']

function textCheck(canonical: (text: string) => string | null, message: string): ScalarCheck {
  return (value, path, problems) =>
    (typeof value === 'string' ? canonical(value) : null) ?? problem(problems, path, 'TYPE', message)
}

function digitsCheck(canonical: (text: string) => string | null, message: string): ScalarCheck {
  return (value, path, problems) => canonical(numberText(value)) ?? problem(problems, path, 'TYPE', message)
}

/** Accepts a JSON number only if it is exact: beyond 2^53, or with more than 15 digits, parsing may have lost some. */
function numberText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'number' || Math.abs(value) > Number.MAX_SAFE_INTEGER) return ''
  return Number.isInteger(value) || Number(value.toPrecision(15)) === value ? numberDigits(value) : ''
}

const numberForm = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** Text that is not JSON stays text. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
