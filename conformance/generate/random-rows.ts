// Random rows: few values that collide often, and values that databases handle differently.

import type { ScalarName } from '../../packages/twain/src/model/index.ts'
import type { Draw } from './draw.ts'
import type { FieldSketch, Oracle, Row, SchemaSketch, TypeSketch } from './oracle.ts'

const scalarSamples: Record<ScalarName, readonly unknown[]> = {
  Int: [0, 1, -1, 5, 2147483647, -2147483648],
  Float: [0, 0.1, 0.30000000000000004, -2.5, 5e-324, 1.7976931348623157e308, 1e21, 123456789.125, 3],
  String: [
    '',
    'a',
    'A',
    'ab',
    'b%',
    'bc',
    'a_b',
    'axb',
    'é',
    'e\u0301',
    '😀',
    '\uffee',
    "o'hara",
    '"q"',
    'line\nbreak',
    '\\',
    ' a',
    'true',
    '1',
    'Straße, nº 1',
    'STRASSE ab',
    '東京 a',
    'Ab-é "OR" a*',
  ],
  Boolean: [true, false],
  ID: ['1', 'x', 'X-1', '0001'],
  DateTime: [
    '1969-12-31T23:59:59.999Z',
    '2026-01-31T09:30:00.000Z',
    '2026-01-31T09:30:00.001Z',
    '0001-01-01T00:00:00.000Z',
  ],
  Date: ['2024-02-29', '1999-12-31', '0001-01-01'],
  Time: ['00:00:00', '09:30:00', '09:30:00.001', '09:30:00.100', '23:59:59.999'],
  JSON: [{ a: 1 }, { last: 1, first: { b: 2, a: 1 } }, [], 'text', 0, false, { deep: [{ er: null }] }, [1, 'two']],
  Decimal: ['0', '-0.5', '1.5', '10', '9.99', '-3', '-3.25', '123456789012345678901234567890.5'],
  BigInt: ['0', '-1', '9', '10', '9007199254740992', '9007199254740993', '-123456789012345678901234567890'],
}

export const samples: Readonly<Record<string, readonly unknown[]>> = scalarSamples

/** One value of a scalar or an enum. */
export function drawLeaf(draw: Draw, sketch: SchemaSketch, type: string): unknown {
  const values = sketch.enums.find(({ name }) => name === type)?.values ?? samples[type]!
  return draw.one(values)
}

/** The input of a create; omitted fields are null or empty afterwards. */
export function drawInput(draw: Draw, oracle: Oracle, type: TypeSketch): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  for (const field of type.fields) {
    if (field.kind === 'many') continue
    const value = drawField(draw, oracle, field)
    if (value !== undefined) input[field.name] = value
  }
  return input
}

/** Undefined: omitted; where the field is nullable, nothing as often as a value. */
export function drawField(draw: Draw, oracle: Oracle, field: FieldSketch): unknown {
  const { sketch } = oracle
  if (field.kind !== 'many' && field.kind !== 'links' && !field.required) {
    if (draw.flip()) return draw.flip() ? undefined : null
  }
  switch (field.kind) {
    case 'scalar':
      return drawLeaf(draw, sketch, field.type)
    case 'list':
      return draw.many(0, 3, () => drawLeaf(draw, sketch, field.type))
    case 'value': {
      const { fields } = sketch.values.find(({ name }) => name === field.type)!
      return Object.fromEntries(
        fields.map((part) => [part.name, !part.required && draw.flip() ? null : drawLeaf(draw, sketch, part.type)]),
      )
    }
    case 'reference': {
      const ids = referable(draw, oracle, field.to)
      if (ids.length === 0) return null
      return draw.one(ids)
    }
    case 'links': {
      const ids = referable(draw, oracle, field.to)
      return ids.length === 0 ? undefined : draw.some(ids, 0, 4)
    }
    case 'many':
      return undefined
  }
}

/** The ids of the rows that a field may refer to; of the interface also as `Type:id`. */
function referable(draw: Draw, oracle: Oracle, to: string): string[] {
  const isTyped = to === oracle.sketch.common?.name && draw.flip()
  return oracle.rows(to).map(({ id }) => (isTyped ? `${oracle.typeOf(id)}:${id}` : id))
}

function withoutType(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutType)
  return typeof value === 'string' ? value.replace(/^\w+:/, '') : value
}

/** The row after the input was written to it. */
export function written(type: TypeSketch, before: Row, input: Record<string, unknown>): Row {
  const row: Row = { ...before }
  for (const field of type.fields) {
    if (field.kind === 'many') continue
    const empty = field.kind === 'links' ? [] : null
    const value =
      field.kind === 'reference' || field.kind === 'links' ? withoutType(input[field.name]) : input[field.name]
    row[field.name] = value === undefined ? (before[field.name] ?? empty) : value
  }
  return row
}

/** A row without its lists of other rows: REST's default representation. */
export function represented(oracle: Oracle, type: TypeSketch, row: Row): Record<string, unknown> {
  const shown: Record<string, unknown> = { id: row.id }
  for (const field of type.fields) {
    if (field.kind === 'many' || field.kind === 'links') continue
    const value = row[field.name]
    const isTyped = field.kind === 'reference' && field.to === oracle.sketch.common?.name && typeof value === 'string'
    shown[field.name] = isTyped ? `${oracle.typeOf(value)}:${value}` : value
  }
  return shown
}
