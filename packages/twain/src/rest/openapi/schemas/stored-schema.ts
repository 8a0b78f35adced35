// Stored types and `@constraint` as JSON Schema (2020-12, as in OpenAPI 3.1).
//
// A state field has its state machine as data and as text. Schemas of responses have no constraints: a row can be older than a constraint.

import { maxPatternTextLength, unreachable } from '#base'
import {
  type Abstract,
  admittedKinds,
  type Constraint,
  type EnumType,
  type Resource,
  type StateField,
  type StoredField,
  type StoredType,
  scalarOf,
  transitionsName,
  type ValueField,
  type ValueType,
} from '#model'
import { hasOneName, type Named, namesOf, withAliases } from '#model/names'
import { describeTransitionActor } from '#plan/explain'
import {
  listOf,
  type NamedSchema,
  nullable,
  type OpenapiObject,
  type OpenapiValue,
  schemaRef,
  sentences,
} from '../json-parts.ts'

/** A value type has three schemas: for responses, for complete writes, and for merge patches. */
export type SchemaUse = 'read' | 'write' | 'merge'

export function storedSchema(type: StoredType, use: SchemaUse, constraint: Constraint | null = null): OpenapiObject {
  switch (type.kind) {
    case 'scalar':
      return constrained(scalarOf(type.name).jsonSchema, constraint, type)
    case 'custom':
      return use === 'read' || constraint === null
        ? schemaRef(type.scalar.name)
        : constrained(schemaRef(type.scalar.name), constraint, type)
    case 'enum':
      return schemaRef(use === 'read' ? type.enum.name : inputEnumName(type.enum))
    case 'value':
      return schemaRef(valueName(type.value, use))
    case 'list': {
      const { minItems, maxItems } = constraint ?? {}
      const item = storedSchema(type.of, use === 'merge' ? 'write' : use, constraint)
      return { ...listOf(type.itemRequired ? item : nullable(item)), minItems, maxItems }
    }
    default:
      return unreachable(type)
  }
}

function valueName({ name }: ValueType, use: SchemaUse): string {
  return use === 'read' ? name : `${name}.${use}`
}

/** Inputs accept aliases of enum values; responses never contain them. */
function inputEnumName({ name, values }: EnumType): string {
  return values.every(hasOneName) ? name : `${name}.write`
}

export function enumSchemas(type: EnumType): NamedSchema[] {
  const readSchema: [string, OpenapiObject] = [type.name, enumSchema(type)]
  const inputName = inputEnumName(type)
  return inputName === type.name
    ? [readSchema]
    : [readSchema, [inputName, enumSchema({ ...type, values: withAliases(type.values) })]]
}

export function valueSchemas(value: ValueType): NamedSchema[] {
  const declared = [...value.fields.values()]
  const fields = withAliases(declared)
  const schema = (use: SchemaUse, required: OpenapiObject): [string, OpenapiObject] => [
    valueName(value, use),
    {
      type: 'object',
      description: sentences(value.description, use === 'merge' && mergeDescription),
      properties: Object.fromEntries(fields.map((field) => [field.name, memberSchema(field, use)])),
      ...required,
      additionalProperties: use === 'read' ? undefined : false,
    },
  ]
  return [
    schema('read', { required: nonEmpty(fields.map(({ name }) => name)) }),
    schema('write', requiredMembers(declared.filter(isRequired))),
    schema('merge', {}),
  ]
}

function isRequired({ required, default: fallback }: ValueField): boolean {
  return required && fallback === undefined
}

/** The required members of an input. Of a member with two names, one of them is required. */
export function requiredMembers(members: readonly Named[]): OpenapiObject {
  const either = members.filter((member) => !hasOneName(member))
  return {
    required: nonEmpty(members.filter(hasOneName).map(({ name }) => name)),
    allOf: nonEmpty(either.map((member) => ({ anyOf: namesOf(member).map((name) => ({ required: [name] })) }))),
  }
}

const mergeDescription = 'Absent members stay unchanged. If there was no value, all required members must be present.'

function memberSchema(field: ValueField, use: SchemaUse): OpenapiObject {
  const schema = storedSchema(field.type, use, use === 'read' ? null : field.constraint)
  return {
    ...(field.required ? schema : nullable(schema)),
    ...describeField(field, schema),
    default: use === 'write' ? field.default : undefined,
  }
}

const moreValues = 'Responses may contain values that a newer version of the schema has added.'

function enumSchema({ values, description }: EnumType): OpenapiObject {
  const meanings = values.flatMap(({ name, description, deprecated }) => {
    const text = sentences(description, deprecated !== null && `Deprecated: ${deprecated}`)
    return text === undefined ? [] : [`- \`${name}\`: ${text.replaceAll('\n\n', ' ')}`]
  })
  return {
    type: 'string',
    enum: values.map(({ name }) => name),
    description: sentences(description, meanings.join('\n'), moreValues),
  }
}

/** The description and deprecation of a field in the schema file. */
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

/** The id of a referenced row in an input. */
export function idOf(to: Resource | Abstract): OpenapiObject {
  const other = to.kind === 'abstract' ? ', alone or as `Type:id`' : ''
  return { type: 'string', description: `The id of a ${to.name}${other}.`, 'x-references': to.name }
}

/** Undefined instead of empty: older tools require at least one name in `required`. */
export function nonEmpty(list: readonly OpenapiValue[]): OpenapiValue | undefined {
  return list.length === 0 ? undefined : list
}

function constrained(schema: OpenapiObject, constraint: Constraint | null, type: StoredType): OpenapiObject {
  if (constraint === null) return schema
  const { min, max, minLength, pattern, format } = constraint
  // Text with a pattern has its own maximum length (decision 5).
  const maxLength = constraint.maxLength ?? (pattern === undefined ? undefined : maxPatternTextLength)
  if (isBoundedText(type))
    return { ...schema, description: sentences(schema.description as string | undefined, bounds(min, max)) }
  const kinds = type.kind === 'custom' ? admittedKinds(constraint) : null
  const admitted = kinds === null ? schema : { ...schema, type: kinds.length === 1 ? kinds[0]! : [...kinds] }
  return withDefined(admitted, { minimum: min, maximum: max, minLength, maxLength, pattern, format })
}

function withDefined(schema: OpenapiObject, keywords: OpenapiObject): OpenapiObject {
  return { ...schema, ...Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined)) }
}

/** Exact numbers, dates and times: JSON Schema has no bounds for them. */
function isBoundedText(type: StoredType): boolean {
  const range = type.kind === 'scalar' ? scalarOf(type.name).range : null
  return range === 'exact' || range === 'text'
}

function bounds(min: number | string | undefined, max: number | string | undefined): string {
  if (min === undefined) return max === undefined ? '' : `At most ${max}.`
  return max === undefined ? `At least ${min}.` : `From ${min} to ${max}.`
}

/** The state machine of a field as data (`x-states`). `who`, `role` and `where` are as in the schema file. Empty for other fields. */
export function stateMachineExtension(field: StoredField): OpenapiObject {
  const { stateMachine } = field
  if (stateMachine === undefined) return {}
  const transitions = stateMachine.transitions.map((transition): OpenapiObject => {
    const who = transition.who?.kind === 'path' ? transition.who.text : transition.who?.kind
    return {
      from: transition.from,
      to: transition.to,
      who,
      role: transition.role ?? undefined,
      where: transition.where ?? undefined,
    }
  })
  return { 'x-states': { start: stateMachine.start, transitions } }
}

export function describeStateMachine({ stateMachine }: StoredField): string | null {
  if (stateMachine === undefined) return null
  const lines = stateMachine.transitions.map((transition) => {
    const actor = describeTransitionActor(transition)
    return `- \`${transition.from}\` → ${transition.to.map((state) => `\`${state}\``).join(', ')}${actor === '' ? '' : `: ${actor}`}`
  })
  return [`Starts as \`${stateMachine.start}\`. Allowed transitions:`, ...lines].join('\n')
}

/** The value of `fields=_statusTransitions`. */
export function transitionsProperty(field: StateField): NamedSchema {
  const states = field.type.kind === 'enum' ? schemaRef(field.type.enum.name) : {}
  const description = `The states that the viewer can now write to \`${field.name}\`, in a write that changes nothing else.`
  return [transitionsName(field), { ...listOf(states), description }]
}
