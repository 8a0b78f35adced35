// The operations that the API generates from the model, by the name of their root field (docs/reference/schema.md#generated-names).
// The schema is printed from this table, and a request is planned by it.

import { type Abstract, type CustomOperation, type Model, type Resource, servedResources, writesOf } from '#model'
import { type ChangeSubscription, camelCase, createAllName, singularAlias, subscriptionsOf } from '#model/names'
import { type NodeTypes, nodeTypesOf } from './node-types.ts'

export type QueryRootField = AliasedRootField &
  (
    | { kind: 'one'; of: Resource }
    | { kind: 'list'; of: Resource | Abstract }
    | { kind: 'connection'; of: Resource | Abstract }
  )

export interface MutationRootField extends AliasedRootField {
  kind: 'create' | 'createAll' | 'replace' | 'update' | 'delete'
  of: Resource
}

export interface SubscriptionRootField extends AliasedRootField {
  kind: ChangeSubscription
  of: Resource
}

interface AliasedRootField {
  /** The current name, if this is a previous one. */
  currentName?: string
}

/** For administrators. */
export type WebhookAction = 'one' | 'list' | 'create' | 'update' | 'delete' | 'redeliver'

export interface RootFields {
  query: ReadonlyMap<string, QueryRootField>
  mutation: ReadonlyMap<string, MutationRootField>
  subscription: ReadonlyMap<string, SubscriptionRootField>
  webhooks: ReadonlyMap<string, WebhookAction>
  /** Custom operations, by root type and name: `Query.topAuthors`. */
  custom: ReadonlyMap<string, CustomOperation>
  /** The types of `node` and `nodes`; null if there are no such fields. */
  nodes: NodeTypes | null
  /** The name of the upload field; null if the model has no field of the type `File`. */
  upload: string | null
  /** The name of the field that signs in; null if the model has no accounts. */
  signIn: string | null
}

export function rootFieldsOf(model: Model): RootFields {
  const query = new Map<string, QueryRootField>()
  const mutation = new Map<string, MutationRootField>()
  for (const of of servedResources(model)) {
    query.set(of.single, { kind: 'one', of })
    query.set(of.list, { kind: 'list', of })
    query.set(connectionOf(of.list), { kind: 'connection', of })
    for (const kind of writesOf(of)) {
      mutation.set(`${kind}${of.name}`, { kind, of })
    }
    if (of.system === undefined) mutation.set(createAllName(of), { kind: 'createAll', of })
  }
  for (const of of model.abstracts) {
    query.set(of.list, { kind: 'list', of })
    query.set(connectionOf(of.list), { kind: 'connection', of })
  }
  for (const of of [...model.resources, ...model.abstracts]) addAliases(of, query, mutation)
  const upload = model.file === null ? null : 'uploadFile'
  const signIn = model.account === null ? null : 'createToken'
  const webhooks: RootFields['webhooks'] = model.resources.length === 0 ? new Map() : webhookRootFields
  const custom = new Map(model.operations.map((operation) => [`${operation.root}.${operation.name}`, operation]))
  return {
    query,
    mutation,
    subscription: subscriptionRootFields(model),
    webhooks,
    custom,
    nodes: nodeTypesOf(model),
    upload,
    signIn,
  }
}

/** Previous paths and previous names of a type (`@was`) stay valid, unless something else has the name now. */
function addAliases(
  of: Resource | Abstract,
  query: Map<string, QueryRootField>,
  mutation: Map<string, MutationRootField>,
): void {
  for (const list of of.previousPaths.map(camelCase)) {
    if (!query.has(list)) query.set(list, { kind: 'list', of, currentName: of.list })
    const connection = connectionOf(list)
    if (!query.has(connection)) query.set(connection, { kind: 'connection', of, currentName: connectionOf(of.list) })
    if (of.kind !== 'resource') continue
    const all = createAllName({ list })
    if (!mutation.has(all)) mutation.set(all, { kind: 'createAll', of, currentName: createAllName(of) })
  }
  const single = singularAlias(of)
  if (single === null || of.kind !== 'resource') return
  if (!query.has(single)) query.set(single, { kind: 'one', of, currentName: of.single })
  for (const kind of writeKinds) {
    const name = `${kind}${of.alias}`
    if (!mutation.has(name)) mutation.set(name, { kind, of, currentName: `${kind}${of.name}` })
  }
}

const writeKinds = ['create', 'replace', 'update', 'delete'] as const

const webhookRootFields: ReadonlyMap<string, WebhookAction> = new Map([
  ['webhook', 'one'],
  ['webhooks', 'list'],
  ['createWebhook', 'create'],
  ['updateWebhook', 'update'],
  ['deleteWebhook', 'delete'],
  ['redeliver', 'redeliver'],
])

export function subscriptionRootFields({ resources }: Model): Map<string, SubscriptionRootField> {
  const roots = new Map(
    resources.flatMap((of) =>
      subscriptionsOf(of).map(({ name, kind }): [string, SubscriptionRootField] => [name, { kind, of }]),
    ),
  )
  for (const of of resources) {
    const single = singularAlias(of)
    if (single === null) continue
    for (const { name, kind } of subscriptionsOf(of)) {
      const alias = `${single}${name.slice(of.single.length)}`
      if (!roots.has(alias)) roots.set(alias, { kind, of, currentName: name })
    }
  }
  return roots
}

/** The name of the connection over a list. */
export function connectionOf(list: string): string {
  return `${list}Connection`
}
