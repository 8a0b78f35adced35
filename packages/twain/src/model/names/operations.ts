// The generated queries and mutations (docs/reference/schema.md#generated-names): name, type, and argument names.

import { distinctFields, hasAggregates, hasGroups } from '../measures.ts'
import type { Abstract, Account, Field, ReferenceField, Resource, StoredField } from '../model.ts'
import { uniqueKeysOf } from '../unique-keys.ts'
import { type WriteOperation, writesOf } from '../writes-of.ts'
import { aggregateFields, aggregateTypes } from './aggregates.ts'

export interface GeneratedOperation {
  name: string
  /** In SDL syntax. */
  type: string
  args: string[]
}

export function queriesOf(type: Resource | Abstract): GeneratedOperation[] {
  const { kind, name, list, single } = type
  const which = ['where', 'orderBy', ...(isSearched(type) ? ['search'] : [])]
  const distinct = distinctFields(type).length > 0 ? ['distinct'] : []
  const equal = kind === 'resource' ? (type.system?.listArguments ?? []) : []
  const deleted = kind === 'resource' && type.softDelete !== undefined ? ['deleted'] : []
  const many: GeneratedOperation[] = [
    { name: list, type: `[${name}!]!`, args: ['offset', 'limit', ...which, ...distinct, ...deleted, ...equal] },
    {
      name: `${list}Connection`,
      type: `${name}Connection!`,
      args: ['first', 'after', ...which, ...distinct, ...deleted],
    },
  ]
  many.push(
    ...aggregatesOf(
      type,
      which.filter((arg) => arg !== 'orderBy'),
    ),
  )
  if (kind !== 'resource') return many
  const byKey: GeneratedOperation[] =
    uniqueKeysOf(type).length === 0 ? [] : [{ name: byName(single), type: name, args: ['key'] }]
  return [{ name: single, type: name, args: ['id'] }, ...byKey, ...many]
}

/** The operation on one row that finds it by a unique key. */
export function byName(name: string): string {
  return `${name}By`
}

/** The writes that find their row by a unique key too. */
export const keyedWrites = ['replace', 'update', 'delete'] as const satisfies readonly WriteOperation[]

function aggregatesOf(type: Resource | Abstract, which: string[]): GeneratedOperation[] {
  if (!hasAggregates(type)) return []
  const { one, groups } = aggregateFields(type.list)
  const types = aggregateTypes(type)
  const args = ['by', 'timeZone', ...which, 'having', 'orderBy', 'offset', 'limit']
  return [
    { name: one, type: `${types.aggregate}!`, args: which },
    ...(hasGroups(type) ? [{ name: groups, type: `[${types.group}!]!`, args }] : []),
  ]
}

/** An interface or a union can be searched if one of its members can. */
function isSearched(type: Resource | Abstract): boolean {
  if (type.kind === 'abstract') return type.members.some(isSearched)
  return [...type.fields.values()].some((field) => field.kind === 'stored' && field.search === true)
}

/** The operations for files, if the schema has files. */
export const uploadMutation: GeneratedOperation = { name: 'uploadFile', type: 'File', args: ['file'] }

export function mutationsOf(resource: Resource, account: Account | null): GeneratedOperation[] {
  const { name, fields } = resource
  const row = name
  const updatable = [...fields.values()].filter(isUpdatable).map((field) => field.name)
  const isAccount = resource === account?.resource
  if (isAccount) updatable.push('password', 'currentPassword', '_locked')
  const isSoft = resource.softDelete !== undefined
  const final = isSoft ? ['purge'] : []
  const several: GeneratedOperation = { name: createAllName(resource), type: `[${name}!]`, args: ['inputs'] }
  const each: GeneratedOperation = { name: createEachName(resource), type: '[RowResult!]', args: ['inputs'] }
  const writes: Record<WriteOperation, GeneratedOperation[]> = {
    create: [
      { name: `create${name}`, type: row, args: ['input'] },
      ...(resource.system === undefined ? [several, each] : []),
    ],
    replace: [{ name: `replace${name}`, type: row, args: ['id', 'input', 'ifVersion'] }],
    update: [
      { name: `update${name}`, type: row, args: ['id', ...updatable, 'input', 'ifVersion'] },
      ...(isBulkWritten(resource) && hasUpdates(resource)
        ? [{ name: updateAllName(resource), type: bulkResult, args: ['where', 'input', ...bulkArguments] }]
        : []),
    ],
    delete: [
      {
        name: `delete${name}`,
        type: 'DeleteResult',
        args: ['id', 'ifVersion', ...final, ...(isAccount ? ['currentPassword'] : [])],
      },
      ...(isBulkWritten(resource)
        ? [{ name: deleteAllName(resource), type: bulkResult, args: ['where', ...bulkArguments] }]
        : []),
    ],
  }
  const isKeyed = resource.view === undefined && uniqueKeysOf(resource).length > 0
  const upsert: GeneratedOperation = { name: upsertName(resource), type: row, args: ['key', 'create', 'update'] }
  const keyed = isKeyed ? [...keyedWrites.map((write) => byKey(writes[write][0]!)), upsert] : []
  const restore: GeneratedOperation = { name: restoreName(resource), type: row, args: ['id', 'ifVersion'] }
  const revert: GeneratedOperation = { name: revertName(resource), type: row, args: ['id', 'version', 'ifVersion'] }
  const generated = [
    ...writesOf(resource).flatMap((write) => writes[write]),
    ...keyed,
    ...(isSoft ? [restore] : []),
    ...(isRevertible(resource) ? [revert, ...(isKeyed ? [byKey(revert)] : [])] : []),
  ]
  return resource.system?.isRedelivered === true ? [...generated, { ...redeliver, type: row }] : generated
}

/** The operation that creates a row, or changes the one that has the key. */
export function upsertName({ name }: Pick<Resource, 'name'>): string {
  return `upsert${name}`
}

/** The operation that takes a delete back. */
export function restoreName({ name }: Pick<Resource, 'name'>): string {
  return `restore${name}`
}

/** The operation that puts an earlier version of a row back. */
export function revertName({ name }: Pick<Resource, 'name'>): string {
  return `revert${name}`
}

/** Whether rows of this type have earlier versions that an update can put back. */
export function isRevertible(resource: Pick<Resource, 'system' | 'view' | 'fields'>): boolean {
  return isBulkWritten(resource) && hasUpdates(resource)
}

function byKey({ name, type, args }: GeneratedOperation): GeneratedOperation {
  return { name: byName(name), type, args: ['key', ...args.filter((one) => one !== 'id' && one !== 'key')] }
}

/** Sends a row of the server itself again. */
const redeliver = { name: 'redeliver', args: ['webhook', 'delivery'] }

/** A list never has the name of an item (check-names.ts), so this never equals `create` plus the name of a type. */
export function createAllName({ list }: Pick<Resource, 'list'>): string {
  return `create${list.charAt(0).toUpperCase()}${list.slice(1)}`
}

/** The operation that creates rows each for itself. */
export function createEachName({ name }: Pick<Resource, 'name'>): string {
  return `createEach${name}`
}

const bulkResult = 'BulkResult'
const bulkArguments = ['orderBy', 'limit', 'all', 'dryRun']

/** Whether rows of this type can be changed and deleted by a filter. */
export function isBulkWritten({ system, view }: Pick<Resource, 'system' | 'view'>): boolean {
  return system === undefined && view === undefined
}

/** The operations that write the rows of a filter. Like `createAllName`, they never equal an operation of one row. */
export function updateAllName({ list }: Pick<Resource, 'list'>): string {
  return `update${list.charAt(0).toUpperCase()}${list.slice(1)}`
}

export function deleteAllName({ list }: Pick<Resource, 'list'>): string {
  return `delete${list.charAt(0).toUpperCase()}${list.slice(1)}`
}

/** Whether a field of the type can change. */
export function hasUpdates({ fields }: Pick<Resource, 'fields'>): boolean {
  return [...fields.values()].some(isUpdatable)
}

function isUpdatable(field: Field): boolean {
  if (field.kind === 'stored' || field.kind === 'reference') return !field.auto && !field.immutable
  return field.kind === 'links'
}

const happenings = ['created', 'updated', 'deleted', 'changed'] as const

/** The kinds of events that a subscription may deliver. */
export type ChangeSubscription = (typeof happenings)[number]

export function subscriptionsOf(resource: Resource): (GeneratedOperation & { kind: ChangeSubscription })[] {
  const { name, single } = resource
  const args = ['id', ...channelsOf(resource).map((field) => field.name), 'where', 'after']
  return happenings.map((kind) => {
    const word = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`
    const isRow = kind === 'created' || kind === 'updated'
    return { kind, name: `${single}${word}`, type: isRow ? `${name}!` : `${name}${word}!`, args }
  })
}

/** A field that is an argument of a subscription: by its value the subscription chooses its rows. */
export type ChannelField = ReferenceField | StoredField

/** References, and texts that every row has and nobody searches in. The built-in arguments keep their names. */
export function channelsOf({ fields }: Resource): ChannelField[] {
  return [...fields.values()].filter(isChannel)
}

function isChannel(field: Field): field is ChannelField {
  if (words.has(field.name)) return false
  if (field.kind !== 'stored') return field.kind === 'reference'
  const { type, required, search } = field
  return type.kind === 'scalar' && type.name === 'String' && required && search !== true
}

const words: ReadonlySet<string> = new Set(['id', 'where', 'after'])

/** The change feed (docs/reference/rest.md#changes, R131). */
export const changesQuery: GeneratedOperation = {
  name: 'changes',
  type: 'ChangeConnection!',
  args: ['first', 'after', 'resource'],
}

/** Signing in, if the schema has accounts (docs/reference/rest.md#tokens, R80). */
export const signInMutation: GeneratedOperation = { name: 'createToken', type: 'Token', args: ['input'] }

/** Attaching an identity at a provider (docs/reference/rest.md#identities). */
export const linkMutation: GeneratedOperation = { name: 'createIdentity', type: 'Identity', args: ['input'] }

/** Asking for a code by mail, if logins are addresses (docs/reference/rest.md#codes). */
export const codeMutation: GeneratedOperation = { name: 'createCode', type: 'Code', args: ['input'] }

/** Proving an address by the code of a mail (docs/reference/rest.md#verifications). */
export const verifyMutation: GeneratedOperation = { name: 'verifyAccount', type: 'Verification', args: ['input'] }

/** Signing up, if an address must be proven before there is an account (docs/reference/rest.md#sign-up). */
export const signUpMutation: GeneratedOperation = { name: 'signUp', type: 'SignUpResult', args: ['input'] }

/** The mails that `twain dev` keeps. */
export const mailsQuery: GeneratedOperation = { name: 'mails', type: '[Mail!]!', args: [] }
