// An operation with its variables → one plan for each root field. The planner caches the plans by operation, shape of the
// variables and class of viewers. The next request of the same shape only binds its values, and the store finds the compiled
// statements by the identity of the plans.

import type { FieldNode } from 'graphql'
import { ApiError, Cache, CacheBudget } from '#base'
import { type CustomOperation, weights } from '#model'
import { nodeRootFields } from '#model/names'
import {
  aggregateScan,
  type BoundPlan,
  type CustomCall,
  isOfServer,
  type Limits,
  planBytes,
  type ReadPlan,
  type RowLocator,
  type RowRead,
} from '#plan'
import {
  bindPlan,
  PlanBuilder,
  planArguments,
  planKey,
  RequestValue,
  readKeyArgument,
  type UnboundPlan,
  type Visibility,
} from '#plan/build'
import type { GraphqlOperation } from '../document/document-cache.ts'
import { noScans, type RootScans } from '../document/document-cost.ts'
import { collectFields, type SelectedField, subselections } from '../document/selection.ts'
import type { VariableValues } from '../input/argument-values.ts'
import type { ApiSchema } from '../schema/build-schema.ts'
import { keyArgument } from '../schema/key-types.ts'
import type { NodeTypes } from '../schema/node-types.ts'
import type { GeneratedRootField, QueryRootField } from '../schema/root-fields.ts'
import { type PlannedAccess, planAccess } from './plan-access.ts'
import { type PlannedAccessMatrix, planAccessMatrix } from './plan-access-matrix.ts'
import { planAggregate } from './plan-aggregate.ts'
import { PlanContext } from './plan-context.ts'
import { type PlannedMessage, planMessage } from './plan-message.ts'
import { type PlannedMonitorField, planMonitor } from './plan-monitor.ts'
import { type NodePage, planNode, planNodes } from './plan-node.ts'
import { isUncached, type PlannedSchema, planSchema } from './plan-schema.ts'
import { planCustomResult, planMany, planSelections } from './plan-selection.ts'
import { type PlannedSubscriptionField, planSubscription } from './plan-subscription.ts'
import {
  type PlannedChangesField,
  type PlannedCode,
  type PlannedEndSessions,
  type PlannedExport,
  type PlannedInvitation,
  type PlannedMails,
  type PlannedSignIn,
  type PlannedSignUp,
  type PlannedUpload,
  planChanges,
  planCode,
  planEndSessions,
  planExport,
  planInvitation,
  planMails,
  planSignIn,
  planSignUp,
  planUpload,
} from './plan-system-fields.ts'
import { type PlannedWriteField, planWrite } from './plan-write.ts'

export interface PlannedOperation {
  kind: GraphqlOperation['kind']
  roots: PlannedField[]
  /** The root field of the schema, for metrics and traces; null if there are several. */
  rootField: string | null
  /** Whether a filter or an order names a field that is always hidden from the viewer. */
  usesHiddenField: boolean
  /** Whether the response has tokens or secrets. */
  isSecret: boolean
  scans: RootScans
  /** The estimated memory of the plans, with the document that they refer to. */
  bytes: number
}

/** A root field of the response: `key` is its response key. */
export type PlannedField = { key: string; node: FieldNode } & PlannedFieldKind

type PlannedFieldKind =
  | PlannedRead
  | PlannedNodes
  | PlannedWriteField
  | PlannedUpload
  | PlannedInvitation
  | PlannedSchema
  | PlannedSignIn
  | PlannedEndSessions
  | PlannedSignUp
  | PlannedCode
  | PlannedMails
  | PlannedMonitorField
  | PlannedAccess
  | PlannedAccessMatrix
  | PlannedMessage
  | PlannedChangesField
  | PlannedExport
  | PlannedSubscriptionField
  | PlannedCustomField
  | PlannedMetaField
  | { kind: 'failed'; error: ApiError }

export interface PlannedRead extends UnboundPlan<ReadPlan> {
  kind: 'read'
  /** Whether the field may be null (one row by its id). Otherwise null makes `data` null as a whole. */
  isNullable: boolean
  /** The bound plan, if none of its values comes from a variable. */
  constantPlan: BoundPlan<ReadPlan> | null
}

/** Rows by their global ids. */
export interface PlannedNodes {
  kind: 'nodes'
  /** Null: no id names a type. */
  read: PlannedRead | null
  idsOf: NodePage['idsOf']
}

/** A field that custom code answers. */
export interface PlannedCustomField extends UnboundPlan<CustomCall> {
  kind: 'custom'
}

/** Introspection, or a constant such as `__typename`. */
type PlannedMetaField =
  | { kind: 'introspection'; nodes: readonly FieldNode[] }
  | { kind: 'constant'; value: string | null }

type RowRoot = Extract<QueryRootField, { kind: 'one' }>

const idType = { kind: 'scalar', name: 'ID' } as const

const rootTypes = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' } as const

const maxShapeLength = 2_000

export class OperationPlanner {
  readonly #apiSchema: ApiSchema
  readonly #limits: Limits
  /** One cache for all operations: a document with many shapes displaces plans, but does not use more memory. */
  readonly #cache: Cache<string, PlannedOperation>

  constructor(apiSchema: ApiSchema, limits: Limits, budget = new CacheBudget()) {
    this.#apiSchema = apiSchema
    this.#limits = limits
    this.#cache = new Cache({ name: 'graphql_plans', budget, bytes: ({ bytes }) => bytes })
  }

  plan(
    operation: GraphqlOperation,
    variables: VariableValues,
    shape: string,
    visibility: Visibility,
  ): PlannedOperation {
    const key = `${operation.key}${shape}\n${visibility.key}` // a shape begins with `;`, which no name contains
    const known = this.#cache.get(key)
    if (known !== undefined) return known
    const { kind, node, fragments } = operation
    const type = rootTypes[kind]
    const fields = collectFields([node.selectionSet], (name) => name === type, fragments, variables)
    const apiSchema = this.#apiSchema
    const filters = { conditions: 0 }
    let usesHiddenField = false
    const roots = fields.map((field): PlannedField => {
      const builder = new PlanBuilder(visibility, filters)
      const context = new PlanContext(apiSchema.schema, fragments, variables, builder, apiSchema.roots.nodes)
      const root = planRoot(field, operation, context, apiSchema, this.#limits)
      usesHiddenField ||= builder.namesHiddenField
      return { key: field.key, node: field.node, ...root }
    })
    const bytes = operation.bytes + roots.reduce((sum, root) => sum + rootBytes(root), 0)
    const rootField = fields.length === 1 ? fields[0]!.name : null
    const planned = {
      kind,
      roots,
      rootField,
      usesHiddenField,
      isSecret: roots.some(isSecret),
      scans: scansOf(roots),
      bytes,
    }
    if (shape.length <= maxShapeLength && roots.every((root) => root.kind !== 'failed')) this.#cache.set(key, planned)
    return planned
  }
}

function scansOf(roots: readonly PlannedField[]): RootScans {
  let scans: Map<FieldNode, { cost: number; hint: string }> | null = null
  for (const root of roots) {
    if (root.kind !== 'read' || root.plan.kind === 'one') continue
    const scan = aggregateScan(root.plan, true)
    if (scan === null || scan.hint === null) continue
    scans ??= new Map()
    scans.set(root.node, { cost: scan.cost - weights.aggregate, hint: scan.hint }) // the document has the rest
  }
  return scans ?? noScans
}

/** A subscription and a write also have statements of their own, which live as long as their plans. */
function rootBytes(root: PlannedField): number {
  if (root.kind === 'nodes') return root.read === null ? 0 : planBytes(root.read.plan)
  const bytes = 'plan' in root ? planBytes(root.plan) : 0
  return root.kind === 'read' ? bytes : 2 * bytes
}

function isSecret(root: PlannedField): boolean {
  if (root.kind === 'read') return isOfServer(root.plan)
  if (root.kind === 'write') return root.of.system !== undefined
  if (root.kind === 'export') return true
  return (
    root.kind === 'signIn' ||
    root.kind === 'endSessions' ||
    root.kind === 'code' ||
    root.kind === 'mails' ||
    root.kind === 'monitor' ||
    (root.kind === 'schema' && isUncached(root)) ||
    root.kind === 'accessMatrix' ||
    root.kind === 'message'
  )
}

/** The plan with the values of this request. */
export function bindRead(root: PlannedRead, variables: VariableValues): BoundPlan<ReadPlan> {
  if (root.constantPlan !== null) return root.constantPlan
  return bindPlan(root, variables)
}

function planRoot(
  field: SelectedField,
  operation: GraphqlOperation,
  context: PlanContext,
  apiSchema: ApiSchema,
  limits: Limits,
): PlannedFieldKind {
  const { name, nodes } = field
  if (name === '__schema' || name === '__type') return { kind: 'introspection', nodes }
  if (name === '__typename') return { kind: 'constant', value: rootTypes[operation.kind] }
  try {
    const custom = apiSchema.roots.custom.get(`${rootTypes[operation.kind]}.${name}`)
    if (custom !== undefined) return planCustomOperation(custom, field, context, limits)
    if (name === 'changes' && operation.kind === 'query') return planChanges(field, context)
    const { export: exported } = apiSchema.roots
    if (name === exported?.field && operation.kind === 'query') return planExport(field, exported, context)
    if (name === apiSchema.roots.signIn) return planSignIn(field, context)
    if (name === apiSchema.roots.endSessions) return planEndSessions(field, context)
    if (name === apiSchema.roots.link) return planSignIn(field, context, 'Identity')
    if (name === apiSchema.roots.code) return planCode(field, context, false)
    if (name === apiSchema.roots.verify) return planCode(field, context, true)
    if (name === apiSchema.roots.signUp) return planSignUp(field, context)
    const { invitations } = apiSchema.roots
    if (invitations !== null) {
      const actions = ['create', 'list', 'resend', 'delete'] as const
      const action = actions.find((one) => invitations[one] === name)
      if (action !== undefined) return planInvitation(action, field, context)
    }
    if (name === apiSchema.roots.access && operation.kind === 'query') return planAccess(field, context)
    if (name === apiSchema.roots.matrix && operation.kind === 'query') return planAccessMatrix(field, context)
    if (name === apiSchema.roots.message && operation.kind === 'query') return planMessage(field, context)
    if (apiSchema.roots.hasMonitor && operation.kind === 'query') {
      const monitored = planMonitor(field, context)
      if (monitored !== null) return monitored
    }
    const schemaField = apiSchema.roots.hasSchema && operation.kind === 'query' ? planSchema(field, context) : null
    if (schemaField !== null) return schemaField
    if (name === apiSchema.roots.mails) return planMails(field, context)
    const { file } = apiSchema.model
    if (file !== null && name === apiSchema.roots.upload) return planUpload(file.resource, field, context, limits)
    const subscription = operation.kind === 'subscription' ? named(apiSchema.roots.subscription) : undefined
    if (subscription !== undefined) return planSubscription(subscription, field, context, limits)
    const write = operation.kind === 'mutation' ? named(apiSchema.roots.mutation) : undefined
    if (write !== undefined) return planWrite(write, field, context, limits)
    const { nodes } = apiSchema.roots
    if (nodes !== null && operation.kind === 'query') {
      if (name === nodeRootFields.one) return planNodeField(nodes, field, context, limits)
      if (name === nodeRootFields.many) return planNodesField(nodes, field, context, limits)
    }
    const read = named(apiSchema.roots.query)
    // A schema without resources has one field: the name of the service.
    return read === undefined
      ? { kind: 'constant', value: apiSchema.model.service.name }
      : planRead(read, field, context, limits)
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'failed', error }
    throw error
  }

  function named<Root extends GeneratedRootField>(roots: ReadonlyMap<string, Root>): Root | undefined {
    const root = roots.get(name)
    if (root?.aliasOf !== undefined) context.builder.noteTypeAlias(root.of)
    return root
  }
}

function planRead(root: QueryRootField, field: SelectedField, context: PlanContext, limits: Limits): PlannedRead {
  const { builder } = context
  return finishRead(planRootRead(root, field, context), root.kind === 'one', builder, limits)
}

function planRootRead(root: QueryRootField, field: SelectedField, context: PlanContext): ReadPlan {
  switch (root.kind) {
    case 'one':
      return planOne(root, field, context)
    case 'list':
    case 'connection':
      return planMany(root.of, root.kind, field, 'Query', context, field.key)
    case 'aggregate':
    case 'groups':
      return planAggregate(root.of, root.kind, field, 'Query', context, field.key)
  }
}

function planNodeField(
  nodes: NodeTypes,
  field: SelectedField,
  context: PlanContext,
  limits: Limits,
): PlannedRead | PlannedMetaField {
  const plan = planNode(nodes, field, context)
  return plan === null ? { kind: 'constant', value: null } : finishRead(plan, true, context.builder, limits)
}

function planNodesField(nodes: NodeTypes, field: SelectedField, context: PlanContext, limits: Limits): PlannedNodes {
  const { plan, idsOf } = planNodes(nodes, field, context)
  return { kind: 'nodes', read: plan === null ? null : finishRead(plan, false, context.builder, limits), idsOf }
}

function finishRead(plan: ReadPlan, isNullable: boolean, builder: PlanBuilder, limits: Limits): PlannedRead {
  builder.finish(limits)
  const isConstant = !builder.requestValues.some((value) => value instanceof RequestValue)
  const constantPlan = isConstant ? builder.bind(plan) : null
  return { kind: 'read', isNullable, plan, ...builder.unbound(), constantPlan }
}

function planOne({ of, by }: RowRoot, field: SelectedField, context: PlanContext): RowRead {
  const args = context.argumentsOf(field.node, 'Query')
  const { builder } = context
  const locator: RowLocator =
    by === 'key'
      ? planKey(readKeyArgument(args.tree(keyArgument), of, builder, `${field.key}.${keyArgument}`), of, builder)
      : { id: builder.parameter({ kind: 'type', type: idType }, args.leaf('id'), `${field.key}.id`) }
  return { kind: 'one', of, ...locator, selections: planSelections(of, subselections(field), context, field.key) }
}

function planCustomOperation(
  operation: CustomOperation,
  field: SelectedField,
  context: PlanContext,
  limits: Limits,
): PlannedCustomField {
  const { builder } = context
  const fieldArguments = context.argumentsOf(field.node, operation.root)
  const args = planArguments(operation, builder, field.key, (name) => fieldArguments.leaf(name))
  const result = planCustomResult(operation.type, field, context, field.key)
  builder.finish(limits)
  return { kind: 'custom', plan: { kind: 'call', operation, args, result }, ...builder.unbound() }
}
