// The operations that the API generates from the model, by the name of their root field (docs/reference/schema.md#generated-names).
// The schema is printed from this table, and a request is planned by it.

import {
  type Abstract,
  type CustomOperation,
  hasAddresses,
  hasAggregates,
  hasGroups,
  type Model,
  type Resource,
  servedResources,
  uniqueKeysOf,
  writesOf,
} from '#model'
import {
  accessField,
  aggregateFields,
  aliasCopies,
  byName,
  type ChangeSubscription,
  createAllName,
  createEachName,
  deleteAllName,
  type ExportNames,
  exportNames,
  hasAccessField,
  hasExport,
  hasInvitations,
  hasMatrixField,
  hasMessageField,
  hasMonitorFields,
  hasSchemaFields,
  hasUpdates,
  invitationFields,
  isBulkWritten,
  isRevertible,
  keyedWrites,
  matrixField,
  messageField,
  restoreName,
  revertName,
  subscriptionsOf,
  updateAllName,
  upsertName,
} from '#model/names'
import { type NodeTypes, nodeTypesOf } from './node-types.ts'

export interface GeneratedRootField {
  of: Resource | Abstract
  /** The present name, if this is an alias. */
  aliasOf?: string
}

export type QueryRootField = GeneratedRootField &
  (
    | { kind: 'one'; of: Resource; by?: 'key' } // by its id, or by a unique key
    | { kind: 'list'; of: Resource | Abstract }
    | { kind: 'connection'; of: Resource | Abstract }
    | { kind: 'aggregate'; of: Resource | Abstract }
    | { kind: 'groups'; of: Resource | Abstract }
  )

export interface MutationRootField extends GeneratedRootField {
  kind:
    | 'create'
    | 'createAll'
    | 'createEach'
    | 'replace'
    | 'upsert'
    | 'update'
    | 'delete'
    | 'restore'
    | 'revert'
    | 'updateAll'
    | 'deleteAll'
    | 'redeliver'
  of: Resource
  /** Absent: a write of one row finds it by its id. */
  by?: 'key'
}

export interface SubscriptionRootField extends GeneratedRootField {
  kind: ChangeSubscription
  of: Resource
}

export interface RootFields {
  query: ReadonlyMap<string, QueryRootField>
  mutation: ReadonlyMap<string, MutationRootField>
  subscription: ReadonlyMap<string, SubscriptionRootField>
  /** Custom operations, by root type and name: `Query.topAuthors`. */
  custom: ReadonlyMap<string, CustomOperation>
  /** The types of `node` and `nodes`; null if there are no such fields. */
  nodes: NodeTypes | null
  /** The name of the upload field; null if the model has no field of the type `File`. */
  upload: string | null
  /** The name of the field that signs in; null if the model has no accounts. */
  signIn: string | null
  /** The name of the field that ends many sessions; null if the model has no accounts. */
  endSessions: string | null
  /** The name of the field that attaches an identity at a provider; null if the model has no accounts. */
  link: string | null
  /** The name of the field that mails a code, and of that which shows kept mails; null if logins are no addresses. */
  code: string | null
  mails: string | null
  /** The name of the field that proves an address; null if nobody is asked to. */
  verify: string | null
  /** The name of the field that signs up; null if an account is there before its address is proven. */
  signUp: string | null
  /** The names of the fields of invitations; null if the model has none of ours. */
  invitations: typeof invitationFields | null
  /** The names of the export of an account; null if the model has none of ours. */
  export: ExportNames | null
  /** The name of the field that explains rights; null if the schema file uses its names. */
  access: string | null
  /** Null: the schema file uses the name. */
  matrix: string | null
  /** The name of the field with the message of a delivery; null if the schema file uses its names. */
  message: string | null
  /** Whether there are fields about the running service; false if the schema file uses their names. */
  hasMonitor: boolean
  /** Whether there are fields about the schema itself: not if the schema file uses their names. */
  hasSchema: boolean
}

export function rootFieldsOf(model: Model): RootFields {
  const resources = servedResources(model)
  const query = namedRoots([...resources, ...model.abstracts], queryRoots)
  const mutation = namedRoots(resources, mutationRoots)
  const upload = model.file === null ? null : 'uploadFile'
  const signIn = model.account === null ? null : 'createToken'
  const hasCodes = model.account !== null && hasAddresses(model.account)
  const custom = new Map(model.operations.map((operation) => [`${operation.root}.${operation.name}`, operation]))
  return {
    query,
    mutation,
    subscription: subscriptionRootFields(model),
    custom,
    nodes: nodeTypesOf(model),
    upload,
    signIn,
    endSessions: signIn === null ? null : 'deleteTokens',
    link: model.account === null ? null : 'createIdentity',
    code: hasCodes ? 'createCode' : null,
    mails: hasCodes ? 'mails' : null,
    verify: model.account !== null && model.account.verification !== 'OFF' ? 'verifyAccount' : null,
    signUp: model.account?.verification === 'REQUIRED' ? 'signUp' : null,
    invitations: hasInvitations(model) ? invitationFields : null,
    export: hasExport(model) ? exportNames(model.account!) : null,
    access: hasAccessField(model) ? accessField : null,
    matrix: hasMatrixField(model) ? matrixField : null,
    message: hasMessageField(model) ? messageField : null,
    hasMonitor: hasMonitorFields(model),
    hasSchema: hasSchemaFields(model),
  }
}

/** The root fields of a type: their names follow from the names of `named`, their order does not. */
type RootsOf<Type, Root> = (of: Type, named: Type) => (readonly [name: string, root: Root])[]

function hasKeys(of: Resource | Abstract): of is Resource {
  return of.kind === 'resource' && uniqueKeysOf(of).length > 0
}

const queryRoots: RootsOf<Resource | Abstract, QueryRootField> = (of, { single, list }) => [
  ...(of.kind === 'resource' ? [[single, { kind: 'one', of }] as const] : []),
  ...(hasKeys(of) ? [[byName(single), { kind: 'one', of, by: 'key' }] as const] : []),
  [list, { kind: 'list', of }],
  [connectionOf(list), { kind: 'connection', of }],
  ...(hasAggregates(of) ? [[aggregateFields(list).one, { kind: 'aggregate', of }] as const] : []),
  ...(hasGroups(of) ? [[aggregateFields(list).groups, { kind: 'groups', of }] as const] : []),
]

/** A view has keys too, but no writes. */
function isWrittenByKey(of: Resource): boolean {
  return hasKeys(of) && of.view === undefined
}

const mutationRoots: RootsOf<Resource, MutationRootField> = (of, named) => [
  ...writesOf(of).map((kind) => [`${kind}${named.name}`, { kind, of }] as const),
  ...(isWrittenByKey(of) ? keyedWrites : []).map(
    (kind) => [byName(`${kind}${named.name}`), { kind, of, by: 'key' }] as const,
  ),
  ...(isWrittenByKey(of) ? [[upsertName(named), { kind: 'upsert', of, by: 'key' }] as const] : []),
  ...(isBulkWritten(of)
    ? [
        [createAllName(named), { kind: 'createAll', of }] as const,
        [createEachName(named), { kind: 'createEach', of }] as const,
        ...(hasUpdates(of) ? [[updateAllName(named), { kind: 'updateAll', of }] as const] : []),
        [deleteAllName(named), { kind: 'deleteAll', of }] as const,
      ]
    : []),
  ...(of.softDelete === undefined ? [] : [[restoreName(named), { kind: 'restore', of }] as const]),
  ...(isRevertible(of) ? [[revertName(named), { kind: 'revert', of }] as const] : []),
  ...(isRevertible(of) && isWrittenByKey(of)
    ? [[byName(revertName(named)), { kind: 'revert', of, by: 'key' }] as const]
    : []),
  ...(of.system?.isRedelivered === true ? [['redeliver', { kind: 'redeliver', of }] as const] : []),
]

const subscriptionRoots: RootsOf<Resource, SubscriptionRootField> = (of, named) =>
  subscriptionsOf(named).map(({ name, kind }) => [name, { kind, of }] as const)

/** All names first: an alias is valid unless something else has the name now. */
function namedRoots<Type extends Resource | Abstract, Root extends GeneratedRootField>(
  types: readonly Type[],
  rootsOf: RootsOf<Type, Root>,
): Map<string, Root> {
  const roots = new Map(types.flatMap((of) => rootsOf(of, of)))
  for (const of of types) {
    const present = rootsOf(of, of).map(([name]) => name)
    for (const [index, [alias, root]] of aliasCopies(of).flatMap((copy) => [...rootsOf(of, copy).entries()])) {
      if (!roots.has(alias)) roots.set(alias, { ...root, aliasOf: present[index]! })
    }
  }
  return roots
}

export function subscriptionRootFields({ resources }: Model): Map<string, SubscriptionRootField> {
  return namedRoots(resources, subscriptionRoots)
}

/** The name of the connection over a list. */
export function connectionOf(list: string): string {
  return `${list}Connection`
}
