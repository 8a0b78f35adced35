// The schemas of the rows of a resource in responses: the default representation, with `fields`, on a cursor page.

import { unreachable } from '#base'
import {
  type Abstract,
  type ComputedField,
  type Field,
  isFile,
  isReadRestricted,
  isShownByDefault,
  type Model,
  membersOf,
  type ReferenceField,
  type Resource,
  type StoredField,
  stateFields,
  typeWord,
} from '#model'
import { withAliases } from '#model/names'
import { isServedNonNull } from '#plan/explain'
import { typeKey } from '../../plan/type-key.ts'
import { listOf, type NamedSchema, nullable, type OpenapiObject, schemaRef } from '../json-parts.ts'
import { inputSchemas } from './input-schemas.ts'
import {
  describeField,
  idOf,
  nonEmpty,
  stateMachineExtension,
  storedSchema,
  transitionsProperty,
} from './stored-schema.ts'

/** One row in a response, with or without `fields`. */
export function rowResult({ name }: Resource | Abstract): OpenapiObject {
  return { anyOf: [schemaRef(name), schemaRef(`${name}.choice`)] }
}

export function resourceSchemas(of: Resource, model: Model): NamedSchema[] {
  return [
    [of.name, rowSchema(of, model)],
    [`${of.name}.choice`, choiceSchema(of, model)],
    [`${of.name}.connection`, connectionSchema(of)],
    ...inputSchemas(of, model),
  ]
}

/** A row of an interface or union has its type, so that exactly one member matches. */
export function abstractSchemas(of: Abstract, model: Model): NamedSchema[] {
  const key = typeKey(of)
  const names = of.members.map((member) => [member.name, `${of.name}.as.${member.name}`] as const)
  const members = names.map(
    ([name, component]): NamedSchema => [
      component,
      {
        description: `A ${name} among ${of.path}.`,
        allOf: [
          { type: 'object', properties: { [key]: { type: 'string', const: name } }, required: [key] },
          schemaRef(name),
        ],
      },
    ],
  )
  const mapping = Object.fromEntries(names.map(([name, component]) => [name, schemaRef(component).$ref]))
  const whole: OpenapiObject = {
    description: of.description ?? `One of ${of.members.map(({ name }) => name).join(', ')}.`,
    oneOf: names.map(([, component]) => schemaRef(component)),
    discriminator: { propertyName: key, mapping },
  }
  return [
    [of.name, whole],
    ...members,
    [`${of.name}.choice`, choiceSchema(of, model)],
    [`${of.name}.connection`, connectionSchema(of)],
  ]
}

function rowSchema(of: Resource, model: Model): OpenapiObject {
  const own = [...of.fields.values()]
    .filter((field) => field.kind === 'stored' || field.kind === 'reference')
    .filter((field) => field.kind === 'reference' || field.isOnRequest !== true)
  const fields = withAliases(own)
  const isShown = (field: Field) => !isReadRestricted(field) && isShownByDefault(field)
  return {
    type: 'object',
    description: of.description ?? `A ${of.name}.`,
    properties: {
      ...Object.fromEntries(fields.map((field) => [field.name, readSchema(field, model)])),
      ...(isFile(of) ? { url: fileUrl } : {}),
    },
    required: nonEmpty(fields.filter(isShown).map(({ name }) => name)),
  }
}

function readSchema(field: StoredField | ReferenceField, model: Model): OpenapiObject {
  const schema = field.kind === 'stored' ? storedSchema(field.type, 'read') : shownId(field.to)
  const isThere = field.kind === 'stored' ? field.required : isServedNonNull(field, model)
  return {
    ...(isThere ? schema : nullable(schema)),
    ...describeField(field, schema),
    ...(field.kind === 'stored' ? stateMachineExtension(field) : {}),
  }
}

/** With `fields` a row has exactly the chosen fields, with rows in place of references and lists. */
function choiceSchema(of: Resource | Abstract, model: Model): OpenapiObject {
  const type = { type: 'string', enum: membersOf(of).map(({ name }) => name) }
  return {
    type: 'object',
    description: `A row of ${of.path} with the chosen \`fields\`.`,
    properties: {
      ...(of.kind === 'abstract' ? { [typeKey(of)]: type, [typeWord]: type } : {}),
      ...anyOfEach(membersOf(of).map((member) => chosenProperties(member, model))),
      ...(isFile(of) ? { url: fileUrl } : { _version: { type: 'integer', description: 'The version of the row.' } }),
    },
    additionalProperties: false,
  }
}

/** A file never changes: it has a URL instead of a version. */
const fileUrl: OpenapiObject = {
  type: 'string',
  format: 'uri-reference',
  description: 'The URL of the bytes; signed if not everyone may read them.',
}

function chosenProperties(of: Resource, model: Model): OpenapiObject {
  const fields = withAliases(of.fields.values()).map((field) => [field.name, chosenSchema(field, model)] as const)
  const computed = withAliases(of.computed.values()).map((field) => [field.name, computedSchema(field)] as const)
  const transitions = withAliases(stateFields(of)).map(transitionsProperty)
  return Object.fromEntries([...fields, ...computed, ...transitions])
}

/** The properties of all members of an interface or union: one that differs between them has any of their schemas. */
function anyOfEach(members: readonly OpenapiObject[]): OpenapiObject {
  if (members.length === 1) return members[0]!
  const all = new Map<string, Map<string, OpenapiObject>>()
  for (const properties of members) {
    for (const [name, schema] of Object.entries(properties)) {
      const known = all.get(name) ?? new Map<string, OpenapiObject>()
      all.set(name, known.set(JSON.stringify(schema), schema as OpenapiObject))
    }
  }
  const merged = [...all].map(([name, schemas]) => {
    const different = [...schemas.values()]
    return [name, different.length === 1 ? different[0]! : { anyOf: different }] as const
  })
  return Object.fromEntries(merged)
}

function chosenSchema(field: Field, model: Model): OpenapiObject {
  switch (field.kind) {
    case 'stored': {
      // `fields` can choose members of a value.
      const schema = isPlain(field) ? readSchema(field, model) : partialValue
      return { ...schema, ...describeField(field) }
    }
    case 'reference':
    case 'inverse':
      return { anyOf: [{ type: ['string', 'null'] }, schemaRef(`${field.to.name}.choice`)], ...describeField(field) }
    case 'many':
    case 'links':
      return { ...listOf(schemaRef(`${field.to.name}.choice`)), ...describeField(field) }
    default:
      return unreachable(field)
  }
}

/** Never required: custom code may fail. */
function computedSchema(field: ComputedField): OpenapiObject {
  const { type } = field
  if (type.kind === 'rows') return { ...listOf(schemaRef(`${type.of.name}.choice`)), ...describeField(field) }
  if (type.kind === 'row')
    return { anyOf: [{ type: 'null' }, schemaRef(`${type.of.name}.choice`)], ...describeField(field) }
  if (!isPlain(type)) return { ...partialValue, ...describeField(field) }
  const schema = storedSchema(type.type, 'read')
  return { ...(field.required ? schema : nullable(schema)), ...describeField(field) }
}

/** A value, or a list of values, with the chosen members. */
const partialValue: OpenapiObject = { type: ['object', 'array', 'null'], items: {} }

function isPlain({ type }: Pick<StoredField, 'type'>): boolean {
  let inner = type
  while (inner.kind === 'list') inner = inner.of
  return inner.kind !== 'value'
}

function connectionSchema(of: Resource | Abstract): OpenapiObject {
  const edge: OpenapiObject = {
    type: 'object',
    properties: {
      node: rowResult(of),
      cursor: { type: 'string', description: 'The cursor of this row, for `after`.' },
    },
    required: ['node', 'cursor'],
  }
  return {
    type: 'object',
    description: `A cursor page of ${of.path}.`,
    properties: { edges: listOf(edge), pageInfo: schemaRef('twain.pageInfo') },
    required: ['edges', 'pageInfo'],
  }
}

/** The id of a referenced row in a response; a write takes it as it was read. */
function shownId(to: Resource | Abstract): OpenapiObject {
  if (to.kind === 'resource') return idOf(to)
  const description = `The type and the id of a ${to.name}: \`Type:id\`.`
  return {
    type: 'string',
    description,
    pattern: '^[A-Za-z_][A-Za-z0-9_]*:[A-Za-z0-9_-]{1,64}$',
    'x-references': to.name,
  }
}
