// An operation with its variables → one question for each root field. What an operation and a shape of variables led to is
// kept for each class of viewers: the next request of that shape brings its values and meets the very same plans, whose
// statements are known.

import type { FieldNode } from 'graphql'
import { ApiError, Cache, cacheGauges, type Gauge } from '#base'
import type { BoundPlan, Limits, ReadPlan, RowRead } from '#plan'
import { PlanBuilder, RequestValue, resolveValues, type Visibility } from '#plan/build'
import type { GraphqlOperation } from '../document/document-cache.ts'
import { collectFields, type SelectedField, subselections } from '../document/selection.ts'
import { type PlannedChangesField, planChanges } from '../execute/changes-field.ts'
import { type PlannedTokenField, planToken } from '../execute/token-fields.ts'
import { type PlannedUpload, planUpload } from '../execute/upload-field.ts'
import { type PlannedWebhookField, planWebhook } from '../execute/webhook-fields.ts'
import type { VariableValues } from '../input/argument-values.ts'
import type { ApiSchema } from '../schema/build-schema.ts'
import type { QueryRootField } from '../schema/root-fields.ts'
import { PlanContext } from './plan-context.ts'
import { type PlannedCustomField, planCustomOperation } from './plan-custom-operation.ts'
import { planMany, planSelections } from './plan-selection.ts'
import { type PlannedSubscriptionField, planSubscription } from './plan-subscription.ts'
import { type PlannedWrite, planWrite } from './plan-write.ts'

export interface PlannedOperation {
  kind: GraphqlOperation['kind']
  roots: PlannedField[]
  /** Whether a filter or an order names a field that the viewer can never read. */
  usesHiddenField: boolean
  /** Whether tokens or secrets stand in the answer. */
  isSecret: boolean
}

/** A root field of the answer. */
export type PlannedField = { key: string; node: FieldNode } & PlannedFieldKind

type PlannedFieldKind =
  | PlannedRead
  | PlannedWrite
  | PlannedUpload
  | PlannedTokenField
  | PlannedChangesField
  | PlannedWebhookField
  | PlannedSubscriptionField
  | PlannedCustomField
  | PlannedMetaField
  | { kind: 'failed'; fault: ApiError }

export interface PlannedRead {
  kind: 'read'
  /** Whether null may stand in the answer (one row by its id), or the whole answer is null with it. */
  isNullable: boolean
  plan: ReadPlan
  requestValues: readonly unknown[]
  places: readonly string[]
  /** The question itself, where no value of it can change. */
  constantPlan: BoundPlan<ReadPlan> | null
}

/** About the schema, or a word that is always the same. */
type PlannedMetaField = { kind: 'introspection'; nodes: readonly FieldNode[] } | { kind: 'constant'; value: string }

const rootTypes = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' } as const

const maxCachedPlans = 4_000
const maxShapeLength = 2_000

export class OperationPlanner {
  readonly #apiSchema: ApiSchema
  readonly #limits: Limits
  /** Of all operations together: one document with many shapes must not crowd memory, only the cache. */
  readonly #cache = new Cache<string, PlannedOperation>(maxCachedPlans)

  constructor(apiSchema: ApiSchema, limits: Limits) {
    this.#apiSchema = apiSchema
    this.#limits = limits
  }

  gauges(): Gauge[] {
    return cacheGauges('graphql plans', this.#cache)
  }

  plan(
    operation: GraphqlOperation,
    variables: VariableValues,
    shape: string,
    visibility: Visibility,
  ): PlannedOperation {
    const key = `${operation.key}${shape}\n${visibility.key}` // a shape begins with a `;`, which no name holds
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
      const context = new PlanContext(apiSchema.schema, fragments, variables, builder)
      const root = planRoot(field, operation, context, apiSchema, this.#limits)
      usesHiddenField ||= builder.namesHiddenField
      return { key: field.key, node: field.node, ...root }
    })
    const planned = { kind, roots, usesHiddenField, isSecret: roots.some(isSecret) }
    if (shape.length <= maxShapeLength && roots.every((root) => root.kind !== 'failed')) this.#cache.set(key, planned)
    return planned
  }
}

function isSecret({ kind }: PlannedField): boolean {
  return kind === 'token' || kind === 'webhook'
}

/** The question of this request. */
export function bindRead(root: PlannedRead, variables: VariableValues): BoundPlan<ReadPlan> {
  if (root.constantPlan !== null) return root.constantPlan
  const { plan, requestValues, places } = root
  return { plan, values: resolveValues(requestValues, variables), places }
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
    if (name === 'changes' && operation.kind === 'query') return planChanges(field, context)
    const token = apiSchema.roots.tokens.get(name)
    if (token !== undefined) return planToken(token, field, context)
    const webhook = apiSchema.roots.webhooks.get(name)
    if (webhook !== undefined) return planWebhook(webhook, field, context)
    const { file } = apiSchema.model
    if (file !== null && name === apiSchema.roots.upload) return planUpload(file.resource, field, context, limits)
    const watch = operation.kind === 'subscription' ? apiSchema.roots.subscription.get(name) : undefined
    if (watch !== undefined) return planSubscription(watch, field, context, limits)
    const own = apiSchema.roots.custom.get(`${operation.kind === 'query' ? 'Query' : 'Mutation'}.${name}`)
    if (own !== undefined) return planCustomOperation(own, field, context, limits)
    const write = operation.kind === 'mutation' ? apiSchema.roots.mutation.get(name) : undefined
    if (write !== undefined) return planWrite(write, field, context, limits)
    const read = apiSchema.roots.query.get(name)
    // A contract with nothing in it has one field: its name.
    return read === undefined
      ? { kind: 'constant', value: apiSchema.model.service.name }
      : planRead(read, field, context, limits)
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'failed', fault: error }
    throw error
  }
}

function planRead(root: QueryRootField, field: SelectedField, context: PlanContext, limits: Limits): PlannedRead {
  const { builder } = context
  const plan =
    root.kind === 'one'
      ? planOne(root.of, field, context)
      : planMany(root.of, root.kind, field, 'Query', context, field.key)
  builder.finish(limits)
  const { requestValues, places } = builder
  const isConstant = !requestValues.some((leaf) => leaf instanceof RequestValue)
  const boundPlan = isConstant ? { plan, values: builder.values(), places } : null
  return { kind: 'read', isNullable: root.kind === 'one', plan, requestValues, places, constantPlan: boundPlan }
}

function planOne(of: RowRead['of'], field: SelectedField, context: PlanContext): RowRead {
  const given = context.argumentsOf(field.node, 'Query')
  const idType = { kind: 'scalar', name: 'ID' } as const
  const id = context.builder.parameter({ kind: 'type', type: idType }, given.leaf('id'), `${field.key}.id`)
  return { kind: 'one', of, id, selections: planSelections(of, subselections(field), context, field.key) }
}
