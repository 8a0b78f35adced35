// An operation with its variables → one question for each root field. What an operation and a shape of variables led to is
// kept for each class of viewers: the next request of that shape brings its values and meets the very same plans, whose
// statements are known.

import type { FieldNode } from 'graphql'
import { ApiError, Cache, cacheGauges, type Gauge } from '#base'
import type { BoundPlan, Limits, ReadPlan, RowRead } from '#plan'
import { PlanBuilder, RequestValue, resolveValues, type Visibility } from '#plan/build'
import type { Variables } from '../document/argument-values.ts'
import type { Operation } from '../document/document.ts'
import { below, collectFields, type Selected } from '../document/selection.ts'
import { type ChangesRoot, planChanges } from '../execute/changes-field.ts'
import { planToken, type TokenRoot } from '../execute/token-fields.ts'
import { planUpload, type UploadRoot } from '../execute/upload-field.ts'
import { planWebhook, type WebhookRoot } from '../execute/webhook-fields.ts'
import type { Contract } from '../schema/build-schema.ts'
import type { QueryRoot } from '../schema/root-fields.ts'
import { PlanContext } from './plan-context.ts'
import { type OwnRoot, planOwn } from './plan-custom-operation.ts'
import { planMany, planPicks } from './plan-selection.ts'
import { planSubscription, type WatchRoot } from './plan-subscription.ts'
import { planWrite, type WriteRoot } from './plan-write.ts'

export interface PlannedOperation {
  kind: Operation['kind']
  roots: Root[]
  /** Whether a filter or an order names a field that the viewer can never read. */
  meetsHidden: boolean
  /** Whether tokens or secrets stand in the answer. */
  isSecret: boolean
}

/** A root field of the answer. */
export type Root = { key: string; node: FieldNode } & RootAnswer

type RootAnswer =
  | ReadRoot
  | WriteRoot
  | UploadRoot
  | TokenRoot
  | ChangesRoot
  | WebhookRoot
  | WatchRoot
  | OwnRoot
  | MetaRoot
  | { kind: 'failed'; fault: ApiError }

export interface ReadRoot {
  kind: 'read'
  /** Whether null may stand in the answer (one row by its id), or the whole answer is null with it. */
  nullable: boolean
  plan: ReadPlan
  leaves: readonly unknown[]
  places: readonly string[]
  /** The question itself, where no value of it can change. */
  question: BoundPlan<ReadPlan> | null
}

/** About the schema, or a word that is always the same. */
type MetaRoot = { kind: 'introspection'; nodes: readonly FieldNode[] } | { kind: 'constant'; value: string }

const rootTypes = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' } as const

const mostPlans = 4_000
const longestShape = 2_000

export class OperationPlanner {
  readonly #contract: Contract
  readonly #limits: Limits
  /** Of all operations together: one document with many shapes must not crowd memory, only the cache. */
  readonly #known = new Cache<string, PlannedOperation>(mostPlans)

  constructor(contract: Contract, limits: Limits) {
    this.#contract = contract
    this.#limits = limits
  }

  gauges(): Gauge[] {
    return cacheGauges('graphql plans', this.#known)
  }

  plan(operation: Operation, variables: Variables, shape: string, visibility: Visibility): PlannedOperation {
    const key = `${operation.key}${shape}\n${visibility.key}` // a shape begins with a `;`, which no name holds
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const { kind, node, fragments } = operation
    const type = rootTypes[kind]
    const fields = collectFields([node.selectionSet], (name) => name === type, fragments, variables)
    const contract = this.#contract
    const filters = { conditions: 0 }
    let meetsHidden = false
    const roots = fields.map((field): Root => {
      const builder = new PlanBuilder(visibility, filters)
      const context = new PlanContext(contract.schema, fragments, variables, builder)
      const root = planRoot(field, operation, context, contract, this.#limits)
      meetsHidden ||= builder.meetsHidden
      return { key: field.key, node: field.node, ...root }
    })
    const planned = { kind, roots, meetsHidden, isSecret: roots.some(isSecret) }
    if (shape.length <= longestShape && roots.every((root) => root.kind !== 'failed')) this.#known.set(key, planned)
    return planned
  }
}

function isSecret({ kind }: Root): boolean {
  return kind === 'token' || kind === 'webhook'
}

/** The question of this request. */
export function readQuestion(root: ReadRoot, variables: Variables): BoundPlan<ReadPlan> {
  if (root.question !== null) return root.question
  const { plan, leaves, places } = root
  return { plan, values: resolveValues(leaves, variables), places }
}

function planRoot(
  field: Selected,
  operation: Operation,
  context: PlanContext,
  contract: Contract,
  limits: Limits,
): RootAnswer {
  const { name, nodes } = field
  if (name === '__schema' || name === '__type') return { kind: 'introspection', nodes }
  if (name === '__typename') return { kind: 'constant', value: rootTypes[operation.kind] }
  try {
    if (name === 'changes' && operation.kind === 'query') return planChanges(field, context)
    const token = contract.roots.tokens.get(name)
    if (token !== undefined) return planToken(token, field, context)
    const webhook = contract.roots.webhooks.get(name)
    if (webhook !== undefined) return planWebhook(webhook, field, context)
    const { file } = contract.model
    if (file !== null && name === contract.roots.upload) return planUpload(file.resource, field, context, limits)
    const watch = operation.kind === 'subscription' ? contract.roots.subscription.get(name) : undefined
    if (watch !== undefined) return planSubscription(watch, field, context, limits)
    const own = contract.roots.own.get(`${operation.kind === 'query' ? 'Query' : 'Mutation'}.${name}`)
    if (own !== undefined) return planOwn(own, field, context, limits)
    const write = operation.kind === 'mutation' ? contract.roots.mutation.get(name) : undefined
    if (write !== undefined) return planWrite(write, field, context, limits)
    const read = contract.roots.query.get(name)
    // A contract with nothing in it has one field: its name.
    return read === undefined
      ? { kind: 'constant', value: contract.model.service.name }
      : planRead(read, field, context, limits)
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'failed', fault: error }
    throw error
  }
}

function planRead(root: QueryRoot, field: Selected, context: PlanContext, limits: Limits): ReadRoot {
  const { draft: builder } = context
  const plan =
    root.kind === 'one'
      ? planOne(root.of, field, context)
      : planMany(root.of, root.kind, field, 'Query', context, field.key)
  builder.finish(limits)
  const { requestValues: leaves, places } = builder
  const isConstant = !leaves.some((leaf) => leaf instanceof RequestValue)
  const boundPlan = isConstant ? { plan, values: builder.values(), places } : null
  return { kind: 'read', nullable: root.kind === 'one', plan, leaves, places, question: boundPlan }
}

function planOne(of: RowRead['of'], field: Selected, context: PlanContext): RowRead {
  const given = context.argumentsOf(field.node, 'Query')
  const idType = { kind: 'scalar', name: 'ID' } as const
  const id = context.draft.parameter({ kind: 'type', type: idType }, given.leaf('id'), `${field.key}.id`)
  return { kind: 'one', of, id, selections: planPicks(of, below(field), context, field.key) }
}
