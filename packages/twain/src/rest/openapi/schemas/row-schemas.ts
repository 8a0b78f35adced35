// The schemas of a resource: its default representation, with `fields`, on a cursor page; and the inputs of a create, a replace
// and a merge patch.

import { unreachable } from '#base'
import {
  type Abstract,
  type ComputedField,
  type Constraint,
  type Field,
  isChangedInLists,
  isFile,
  isOwned,
  isReadRestricted,
  type LinksField,
  type Model,
  membersOf,
  type ReferenceField,
  type Resource,
  type StoredField,
  stateFields,
  type ToManyField,
  takesNewRows,
  typeWord,
} from '#model'
import { withAliases } from '#model/names'
import { isRequiredInput } from '#plan/build'
import { isServedNonNull } from '#plan/explain'
import { typeKey } from '../../plan/type-key.ts'
import { listOf, type NamedSchema, nullable, type OpenapiObject, schemaRef, sentences } from '../json-parts.ts'
import { incrementProperty } from './increment-schema.ts'
import { changedRowName, childCreateName, listProperties, listSchemas } from './list-schemas.ts'
import {
  describeField,
  describeStateMachine,
  namesOf,
  type SchemaUse,
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
    [`${of.name}.create`, createSchema(of, model)],
    ...nestedCreates(of, model),
    ...listSchemas(of),
    [`${of.name}.replace`, replaceSchema(of, model)],
    [`${of.name}.merge`, mergeSchema(of, model)],
    ...(isChangedInLists(of, model.resources) ? [changedRow(of, model)] : []),
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
  const own = [...of.fields.values()].filter((field) => field.kind === 'stored' || field.kind === 'reference')
  const fields = withAliases(own)
  const isShown = (field: Field) => !isReadRestricted(field)
  return {
    type: 'object',
    description: of.description ?? `A ${of.name}.`,
    properties: {
      ...Object.fromEntries(fields.map((field) => [field.name, readSchema(field, model)])),
      ...(isFile(of) ? { url: fileUrl } : {}),
    },
    required: namesOf(fields.filter(isShown)),
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

type WritableRowField = StoredField | ReferenceField | LinksField

/** The input of `/users/{id}/posts`: the path has the user, so that the body need not. */
export function nestedCreateName({ to, via }: ToManyField): string {
  return `${to.name}.create.in.${via.name}`
}

function nestedCreates(of: Resource, model: Model): NamedSchema[] {
  const schemas = listsCreating(of, model).flatMap((field): NamedSchema[] => {
    const nested: NamedSchema = [nestedCreateName(field), createSchema(of, model, field.via)]
    return takesNewRows(field) ? [nested, [childCreateName(field), childCreate(field, model)]] : [nested]
  })
  return [...new Map(schemas)]
}

/** A row that is created along with the row that it refers to. */
function childCreate({ to, via }: ToManyField, model: Model): OpenapiObject {
  const { properties, required, ...rest } = createSchema(to, model, via)
  const { [via.name]: _, ...others } = properties as OpenapiObject
  return { ...rest, properties: others, required }
}

/** The to-many fields in whose nested path rows of the type are created. */
export function listsCreating(of: Resource, { resources }: Model): ToManyField[] {
  const fields = resources.flatMap(({ fields }) => [...fields.values()])
  return fields.filter((field) => field.kind === 'many').filter(({ to }) => to === of)
}

const setByPath: OpenapiObject = { readOnly: true, description: 'Equals the id of the path, or is left out.' }

function createSchema(of: Resource, model: Model, owner?: ReferenceField): OpenapiObject {
  const fields = writable(of).filter(
    (field) => field.name !== 'id' && !(field.kind === 'stored' && field.auto !== null),
  )
  const properties = withAliases(fields).map((field) => {
    const schema = writtenSchema(field, 'write')
    return [field.name, field === owner ? { ...schema, ...setByPath } : schema] as const
  })
  const lists = withAliases([...of.fields.values()].filter(isOwned))
  const owned = lists.map((field) => [field.name, ownedSchema(field)] as const)
  const isAccount = model.account?.resource === of
  return {
    type: 'object',
    description: `A new ${of.name}.`,
    properties: {
      ...Object.fromEntries([...properties, ...owned]),
      ...listProperties(of, 'create'),
      ...(isAccount ? { password } : {}),
    },
    required: namesOf([
      ...fields.filter((field) => field !== owner && isRequiredInput(field) && field.alias === undefined),
      ...(isAccount ? [{ name: 'password' }] : []),
    ]),
    ...requiredUnderEitherName(fields.filter((field) => field !== owner && isRequiredInput(field))),
    additionalProperties: false,
  }
}

/** Required fields with an alias: one of the two names is required. */
function requiredUnderEitherName(required: readonly WritableRowField[]): OpenapiObject {
  const named = required.filter(({ alias }) => alias !== undefined)
  if (named.length === 0) return {}
  return { allOf: named.map(({ name, alias }) => ({ anyOf: [{ required: [name] }, { required: [alias!] }] })) }
}

function ownedSchema(field: ToManyField): OpenapiObject {
  const schema = nullable({ type: 'array', items: schemaRef(childCreateName(field)) })
  const described = describeField(field, schema)
  const along = `${field.to.path} to create with the row.`
  return { ...schema, ...described, description: sentences(described.description as string | undefined, along) }
}

/** A client can send back what it read: immutable fields are allowed if they are unchanged. */
function replaceSchema(of: Resource, model: Model): OpenapiObject {
  const fields = writable(of)
  const mayMiss = (field: WritableRowField) => !isServedNonNull(field, model)
  const needed = fields.filter((field) => isRequiredInput(field) && !mayMiss(field))
  const properties = withAliases(fields).map((field) => {
    const schema = writtenSchema(field, 'write')
    return [field.name, mayMiss(field) ? nullable(schema) : schema] as const
  })
  return {
    type: 'object',
    description: `The complete new state of a ${of.name}.`,
    properties: {
      ...Object.fromEntries(properties),
      ...(model.account?.resource === of ? { password, currentPassword } : {}),
    },
    required: namesOf(needed.filter(({ alias }) => alias === undefined)),
    ...requiredUnderEitherName(needed),
    additionalProperties: false,
  }
}

function mergeSchema(of: Resource, model: Model): OpenapiObject {
  const properties = withAliases(writable(of)).map((field) => [field.name, writtenSchema(field, 'merge')] as const)
  return {
    type: 'object',
    description: `The fields of a ${of.name} to change (RFC 7396): absent fields stay, null clears.`,
    properties: {
      ...Object.fromEntries(properties),
      ...incrementProperty(of),
      ...listProperties(of, 'update'),
      ...(model.account?.resource === of ? { password, currentPassword } : {}),
    },
    additionalProperties: false,
  }
}

/** A row of a list that is updated along with the row that has the list. The login of an account is changed by a write of its own. */
function changedRow(of: Resource, model: Model): NamedSchema {
  const { properties, ...rest } = mergeSchema(of, model)
  const isAccount = model.account?.resource === of
  const own = isAccount ? ['password', 'currentPassword', model.account!.login.name] : []
  const fields = Object.entries(properties as OpenapiObject).filter(([name]) => name !== 'id' && !own.includes(name))
  const id = { type: 'string', description: `The id of a ${of.name} of the list.`, 'x-references': of.name }
  return [changedRowName(of), { ...rest, properties: { id, ...Object.fromEntries(fields) }, required: ['id'] }]
}

function writable(of: Resource): WritableRowField[] {
  return [...of.fields.values()].filter((field) => field.kind !== 'many' && field.kind !== 'inverse')
}

function writtenSchema(field: WritableRowField, use: SchemaUse): OpenapiObject {
  const schema = inputSchema(field, use)
  const isOptional = field.kind === 'links' || !field.required
  const described = describeField(field, schema)
  return {
    ...(isOptional ? nullable(schema) : schema),
    ...described,
    description: sentences(
      described.description as string | undefined,
      settingNote(field),
      field.kind === 'stored' && describeStateMachine(field),
    ),
    default: use === 'write' && field.kind !== 'links' ? field.default : undefined,
    readOnly: isSetByServer(field) ? true : undefined,
    'x-immutable': isFixed(field) ? true : undefined,
    'x-viewer': field.kind === 'reference' && isViewer(field) ? true : undefined,
  }
}

function inputSchema(field: WritableRowField, use: SchemaUse): OpenapiObject {
  switch (field.kind) {
    case 'stored':
      return storedSchema(field.type, use, field.isLogin ? asLogin(field.constraint) : asIndexed(field))
    case 'reference':
      return idOf(field.to)
    case 'links':
      return { ...listOf(idOf(field.to)), description: `The ids of ${field.to.path}.` }
    default:
      return unreachable(field)
  }
}

function asLogin(constraint: Constraint | null): Constraint {
  return { minLength: 1, maxLength: 320, ...constraint }
}

/** An indexed text has a maximum in bytes: no more characters than that. */
function asIndexed({ type, constraint, maxIndexedBytes }: StoredField): Constraint | null {
  if (maxIndexedBytes === undefined || type.kind === 'custom') return constraint
  return { ...constraint, maxLength: Math.min(maxIndexedBytes, constraint?.maxLength ?? maxIndexedBytes) }
}

function settingNote(field: WritableRowField): string | null {
  if (field.kind === 'links') return null
  if (field.name === 'id') return 'Equals the id of the path, or is left out.'
  if (isSetByServer(field)) return 'The server sets it: send the current value, or leave it out.'
  if (field.kind === 'reference' && field.auto !== null) return "The server sets it to the viewer's account on create."
  if (field.kind === 'reference' && field.defaultsToViewer) return "The default is the viewer's account."
  return field.immutable ? 'Immutable after the row is created.' : null
}

function isSetByServer(field: WritableRowField): boolean {
  return field.kind === 'stored' && (field.name === 'id' || field.auto !== null)
}

function isViewer({ auto, defaultsToViewer }: ReferenceField): boolean {
  return auto === 'VIEWER' || defaultsToViewer
}

function isFixed(field: WritableRowField): boolean {
  return field.kind !== 'links' && (field.immutable || (field.kind === 'reference' && field.auto !== null))
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

function idOf(to: Resource | Abstract): OpenapiObject {
  const other = to.kind === 'abstract' ? ', alone or as `Type:id`' : ''
  return { type: 'string', description: `The id of a ${to.name}${other}.`, 'x-references': to.name }
}

/** The constraints of a password (plan/check); no response contains it. */
const password: OpenapiObject = {
  type: 'string',
  format: 'password',
  minLength: 8,
  maxLength: 256,
  writeOnly: true,
  description: 'The password of the account; the server stores a hash and never returns it.',
}

const currentPassword: OpenapiObject = {
  type: 'string',
  format: 'password',
  maxLength: 256,
  writeOnly: true,
  description:
    'The current password, to change the password or login of your own account. Not needed within five minutes of a sign-in.',
}
