// A stored type in JSON Schema's words (2020-12, as OpenAPI 3.1 has it), and what `@constraint` says of it.
//
// Answers carry no constraints: a row may have been written before the contract had them.

import { maxPatternTextLength, unreachable } from '#base'
import {
  type Constraint,
  type EnumType,
  type ScalarName,
  type StoredType,
  type ValueField,
  type ValueType,
  withAliases,
} from '#model'
import {
  listOf,
  type NamedSchema,
  nullable,
  type OpenapiObject,
  type OpenapiValue,
  schemaRef,
  sentences,
} from '../json-parts.ts'

/** Of a value type there are three schemas: as it is read, as it is written whole, and as a merge patch. */
export type SchemaUse = 'read' | 'write' | 'merge'

export function storedSchema(type: StoredType, side: SchemaUse, constraint: Constraint | null = null): OpenapiObject {
  switch (type.kind) {
    case 'scalar':
      return constrained(scalars[type.name], constraint, type)
    case 'custom':
      return side === 'read' || constraint === null
        ? schemaRef(type.scalar.name)
        : constrained(schemaRef(type.scalar.name), constraint, type)
    case 'enum':
      return schemaRef(side === 'read' ? type.enum.name : inputEnumName(type.enum))
    case 'value':
      return schemaRef(valueName(type.value, side))
    case 'list': {
      const { minItems, maxItems } = constraint ?? {}
      const item = storedSchema(type.of, side === 'merge' ? 'write' : side, constraint)
      return { ...listOf(type.itemRequired ? item : nullable(item)), minItems, maxItems }
    }
    default:
      return unreachable(type)
  }
}

function valueName({ name }: ValueType, side: SchemaUse): string {
  return side === 'read' ? name : `${name}.${side}`
}

/** A value under its former name is taken, and never given. */
function inputEnumName({ name, values }: EnumType): string {
  return values.some(({ alias }) => alias !== undefined) ? `${name}.write` : name
}

export function enumSchemas(type: EnumType): NamedSchema[] {
  const given: [string, OpenapiObject] = [type.name, enumSchema(type)]
  const taken = inputEnumName(type)
  return taken === type.name ? [given] : [given, [taken, enumSchema({ ...type, values: withAliases(type.values) })]]
}

export function valueSchemas(value: ValueType): NamedSchema[] {
  const own = [...value.fields.values()]
  const fields = withAliases(own)
  const schema = (side: SchemaUse, required: ValueField[]): [string, OpenapiObject] => [
    valueName(value, side),
    {
      type: 'object',
      description: sentences(value.description, side === 'merge' && mergeDescription),
      properties: Object.fromEntries(fields.map((field) => [field.name, memberSchema(field, side)])),
      required: namesOf(required),
      ...(side === 'write' ? { allOf: requiredUnderEitherName(own) } : {}),
      additionalProperties: side === 'read' ? undefined : false,
    },
  ]
  return [
    schema('read', fields),
    schema(
      'write',
      own.filter((field) => isRequired(field) && field.alias === undefined),
    ),
    schema('merge', []),
  ]
}

function isRequired({ required, default: fallback }: ValueField): boolean {
  return required && fallback === undefined
}

/** What must be given, where it may be given under its former name. */
function requiredUnderEitherName(fields: readonly ValueField[]): OpenapiValue | undefined {
  const named = fields.filter((field) => isRequired(field) && field.alias !== undefined)
  if (named.length === 0) return undefined
  return named.map(({ name, alias }) => ({ anyOf: [{ required: [name] }, { required: [alias!] }] }))
}

const mergeDescription =
  'Members that are left out stay as they are; where there was nothing, all that must be there must be given.'

function memberSchema(field: ValueField, side: SchemaUse): OpenapiObject {
  const schema = storedSchema(field.type, side, side === 'read' ? null : field.constraint)
  return {
    ...(field.required ? schema : nullable(schema)),
    ...describeField(field, schema),
    default: side === 'write' ? field.default : undefined,
  }
}

function enumSchema({ values, description }: EnumType): OpenapiObject {
  const meanings = values.flatMap(({ name, description, deprecated }) => {
    const said = sentences(description, deprecated !== null && `Deprecated: ${deprecated}`)
    return said === undefined ? [] : [`- \`${name}\`: ${said.replaceAll('\n\n', ' ')}`]
  })
  return {
    type: 'string',
    enum: values.map(({ name }) => name),
    description: sentences(description, meanings.join('\n')),
  }
}

/** What the file says about a field, beside its type. */
export function describeField(
  field: { description: string | null; deprecated: string | null },
  schema: OpenapiObject = {},
): OpenapiObject {
  const { description, deprecated } = field
  const own = typeof schema.description === 'string' ? schema.description : null
  return {
    description: sentences(description, own, deprecated !== null && `Deprecated: ${deprecated}`),
    deprecated: deprecated === null ? undefined : true,
  }
}

/** Undefined rather than empty: a list of required names has at least one in older readers. */
export function namesOf(fields: readonly { name: string }[]): OpenapiValue | undefined {
  return fields.length === 0 ? undefined : fields.map(({ name }) => name)
}

const digits = { type: 'string', maxLength: 200 }

const scalars: Record<ScalarName, OpenapiObject> = {
  Int: { type: 'integer', format: 'int32', minimum: -2147483648, maximum: 2147483647 },
  Float: { type: 'number', format: 'double' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  ID: { type: 'string' },
  DateTime: { type: 'string', format: 'date-time' },
  Date: { type: 'string', format: 'date' },
  JSON: { description: 'Any JSON.' },
  Decimal: { ...digits, pattern: '^[+-]?\\d+(\\.\\d+)?$', description: 'An exact decimal number.' },
  BigInt: { ...digits, pattern: '^[+-]?\\d+$', description: 'An exact whole number of any size.' },
}

function constrained(schema: OpenapiObject, constraint: Constraint | null, type: StoredType): OpenapiObject {
  if (constraint === null) return schema
  const { min, max, minLength, pattern, format } = constraint
  // A text that a pattern is held against has a bound of its own (decision 5).
  const maxLength = constraint.maxLength ?? (pattern === undefined ? undefined : maxPatternTextLength)
  const exact = type.kind === 'scalar' && (type.name === 'Decimal' || type.name === 'BigInt')
  if (exact) return { ...schema, description: sentences(String(schema.description), bounds(min, max)) }
  return withDefined(schema, { minimum: min, maximum: max, minLength, maxLength, pattern, format })
}

function withDefined(schema: OpenapiObject, keywords: OpenapiObject): OpenapiObject {
  return { ...schema, ...Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined)) }
}

/** JSON Schema has no bounds for numbers in strings. */
function bounds(min: number | undefined, max: number | undefined): string {
  if (min === undefined) return max === undefined ? '' : `At most ${max}.`
  return max === undefined ? `At least ${min}.` : `From ${min} to ${max}.`
}
