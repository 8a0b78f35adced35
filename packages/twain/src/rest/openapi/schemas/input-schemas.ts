// The schemas of the inputs of a resource: of a create, of a replace and of a merge patch.

import { unreachable } from '#base'
import {
  type Constraint,
  isChangedInLists,
  isOwned,
  type KeyField,
  type LinksField,
  type Model,
  type ReferenceField,
  type Resource,
  type StoredField,
  type ToManyField,
  takesNewRows,
  uniqueKeysOf,
} from '#model'
import { withAliases } from '#model/names'
import { isRequiredInput } from '#plan/build'
import { isServedNonNull } from '#plan/explain'
import { listOf, type NamedSchema, nullable, type OpenapiObject, schemaRef, sentences } from '../json-parts.ts'
import { incrementProperty } from './increment-schema.ts'
import { changedRowName, childCreateName, listProperties, listSchemas } from './list-schemas.ts'
import {
  describeField,
  describeStateMachine,
  idOf,
  requiredMembers,
  type SchemaUse,
  storedSchema,
} from './stored-schema.ts'
import { requiredOfChange, withSystemChecks } from './system-inputs.ts'

export function inputSchemas(of: Resource, model: Model): NamedSchema[] {
  return [
    [`${of.name}.create`, createSchema(of, model)],
    ...nestedCreates(of, model),
    ...listSchemas(of),
    [`${of.name}.replace`, replaceSchema(of, model)],
    ...replacesByKey(of, model),
    [`${of.name}.merge`, mergeSchema(of, model)],
    ...(isChangedInLists(of, model.resources) ? [changedRow(of, model)] : []),
  ]
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

/** The input of an invitation: that of a create, without the password. */
export function invitationInput(model: Model): OpenapiObject {
  const { properties, required, ...rest } = createSchema(model.account!.resource, model)
  const { password: _, _captcha, ...others } = properties as OpenapiObject
  const needed = (required as string[]).filter((name) => name !== 'password')
  return { ...rest, properties: others, required: needed }
}

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
      ...withSystemChecks(of, Object.fromEntries([...properties, ...owned]), model),
      ...listProperties(of, 'create'),
      ...(isAccount ? { password, _captcha: captcha } : {}),
    },
    ...requiredMembers([
      ...fields.filter((field) => field !== owner && isRequiredInput(field)),
      ...(isAccount ? [{ name: 'password' }] : []),
    ]),
    additionalProperties: false,
  }
}

function ownedSchema(field: ToManyField): OpenapiObject {
  const schema = nullable({ type: 'array', items: schemaRef(childCreateName(field)) })
  const described = describeField(field, schema)
  const along = `${field.to.path} to create with the row.`
  return { ...schema, ...described, description: sentences(described.description as string | undefined, along) }
}

/** The input of `PUT /users/email={email}`: the path has the key, so that the body need not. */
export function replaceByKeyName({ name }: Resource, key: readonly KeyField[]): string {
  return `${name}.replace.by.${key.map((field) => field.name).join('.')}`
}

function replacesByKey(of: Resource, model: Model): NamedSchema[] {
  return uniqueKeysOf(of).map(({ fields }) => {
    const { required, ...schema } = replaceSchema(of, model)
    const names = fields.map(({ name }) => name)
    const needed = ((required ?? []) as string[]).filter((name) => !names.includes(name))
    return [replaceByKeyName(of, fields), { ...schema, ...(needed.length > 0 && { required: needed }) }]
  })
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
      ...(model.account?.resource === of ? { password, currentPassword, _captcha: captcha } : {}),
    },
    ...requiredMembers(needed),
    additionalProperties: false,
  }
}

function mergeSchema(of: Resource, model: Model): OpenapiObject {
  const fields = of.system === undefined ? writable(of) : writable(of).filter(isChangeable)
  const properties = withAliases(fields).map((field) => [field.name, writtenSchema(field, 'merge')] as const)
  return {
    type: 'object',
    description: `The fields of a ${of.name} to change (RFC 7396): absent fields stay, null clears.`,
    properties: {
      ...withSystemChecks(of, Object.fromEntries(properties), model),
      ...incrementProperty(of),
      ...listProperties(of, 'update'),
      ...(model.account?.resource === of ? { password, currentPassword, _locked: locked } : {}),
    },
    ...requiredOfChange(of),
    additionalProperties: false,
  }
}

/** A row of a list that is updated along with the row that has the list. The login of an account is changed by a write of its own. */
function changedRow(of: Resource, model: Model): NamedSchema {
  const { properties, ...rest } = mergeSchema(of, model)
  const isAccount = model.account?.resource === of
  const own = isAccount ? ['password', 'currentPassword', '_locked', model.account!.login.name] : []
  const fields = Object.entries(properties as OpenapiObject).filter(([name]) => name !== 'id' && !own.includes(name))
  const id = { type: 'string', description: `The id of a ${of.name} of the list.`, 'x-references': of.name }
  return [changedRowName(of), { ...rest, properties: { id, ...Object.fromEntries(fields) }, required: ['id'] }]
}

/** Nobody sends back what the server alone sets of its own rows. */
function isChangeable(field: WritableRowField): boolean {
  return !isSetByServer(field) && !isFixed(field)
}

function writable(of: Resource): WritableRowField[] {
  return [...of.fields.values()]
    .filter((field) => field.kind !== 'many' && field.kind !== 'inverse')
    .filter((field) => field.kind !== 'stored' || field.isOnRequest !== true)
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
  if (field.defaultClaim !== undefined) return claimNote(field.defaultClaim)
  return field.immutable ? 'Immutable after the row is created.' : null
}

function claimNote(claim: string): string {
  return `The default is the claim \`${claim}\` of the token. It is required for a token without it.`
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

/** The constraints of a password (plan/check); no response contains it. */
const password: OpenapiObject = {
  type: 'string',
  format: 'password',
  minLength: 8,
  maxLength: 256,
  writeOnly: true,
  description: 'The password of the account; the server stores a hash and never returns it.',
}

const captcha: OpenapiObject = {
  type: ['string', 'null'],
  minLength: 1,
  maxLength: 4096,
  writeOnly: true,
  description: 'For `attempt` in twain.config.ts, if the service asks those who sign up for one.',
}

const locked: OpenapiObject = {
  type: 'boolean',
  writeOnly: true,
  description:
    'Locks the account or unlocks it, for the role admin. A locked account has no sessions, and nobody signs in to it.',
}

const currentPassword: OpenapiObject = {
  type: 'string',
  format: 'password',
  maxLength: 256,
  writeOnly: true,
  description:
    'The current password, to change the password or login of your own account. Not needed within five minutes of a sign-in.',
}
