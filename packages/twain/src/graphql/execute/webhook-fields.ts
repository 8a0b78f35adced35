// `webhooks`, `createWebhook` and their like: root fields that are not rows. Who may is the affair of the room of events; here
// the request's words become its, and its answer the request's shape.

import { isObjectType } from 'graphql'
import { ApiError, type Problem, type Viewer, validationError } from '#base'
import type { Engine } from '#engine'
import type { WebhookAdmin, Webhooks, WebhookView, WebhookWriteOptions } from '#events'
import { checkOffset, checkPageSize, defaultPageSize } from '#plan/build'
import { type SelectedField, subselections } from '../document/selection.ts'
import type { VariableValues } from '../input/argument-values.ts'
import { applyShape, type ObjectMembers, type ObjectShape, planObjectShape } from '../plan/object-shape.ts'
import { FieldArguments, type PlanContext } from '../plan/plan-context.ts'
import type { WebhookAction } from '../schema/root-fields.ts'
import type { IdempotencyTracker } from './execute.ts'
import { deletedText } from './format.ts'

export interface PlannedWebhookField {
  kind: 'webhook'
  key: string
  action: WebhookAction
  shape: ObjectShape
  /** What is asked of the result of a delete. */
  result: readonly SelectedField[]
  /** The arguments of the field, and of `deliveries` below it, with the variables of a request. */
  bindArguments(variables: VariableValues): FieldArguments
  bindPageArguments(node: SelectedField['node'], variables: VariableValues): FieldArguments
}

const objects: ObjectMembers = {
  Webhook: { deliveries: 'WebhookDelivery' },
  WebhookDelivery: { attempts: 'WebhookAttempt' },
}

const types: Readonly<Record<WebhookAction, string>> = {
  one: 'Webhook',
  list: 'Webhook',
  create: 'Webhook',
  update: 'Webhook',
  delete: 'DeleteResult',
  redeliver: 'WebhookDelivery',
}

export function planWebhook(action: WebhookAction, field: SelectedField, context: PlanContext): PlannedWebhookField {
  const { schema } = context
  const isQuery = action === 'one' || action === 'list'
  const parent = isQuery ? schema.getQueryType() : schema.getMutationType()
  const definitions = parent?.getFields()[field.name]?.args ?? []
  const webhook = schema.getType('Webhook')
  const ofDeliveries = isObjectType(webhook) ? (webhook.getFields().deliveries?.args ?? []) : []
  const type = types[action]
  return {
    kind: 'webhook',
    key: field.key,
    action,
    shape: planObjectShape(type, subselections(field), objects, context),
    result: context.collect(subselections(field), (name) => name === type),
    bindArguments: (variables) => new FieldArguments(field.node, definitions, variables),
    bindPageArguments: (node, variables) => new FieldArguments(node, ofDeliveries, variables),
  }
}

interface WebhookFieldContext {
  variables: VariableValues
  viewer: Viewer
  engine: Engine
  idempotency: IdempotencyTracker | null
}

/** The JSON text of the root field. */
export async function webhookText(
  root: PlannedWebhookField,
  asking: WebhookFieldContext,
  webhooks: Webhooks,
): Promise<string> {
  const { viewer, variables, idempotency } = asking
  const desk = await webhooks.desk(viewer)
  const given = root.bindArguments(variables)
  const id = String(given.value('id'))
  const one = async (view: WebhookView | null) => (view === null ? null : toObject(view, root, asking, desk))
  const saying: WebhookWriteOptions = {
    once: idempotency?.keyFor(root.key) ?? null,
    given: conditionsOf(given.value('ifVersion')),
  }
  const did = <T>({ value, replayed }: { value: T; replayed: boolean }): T => {
    if (idempotency !== null) idempotency[replayed ? 'replayed' : 'executed']++
    return value
  }
  switch (root.action) {
    case 'one':
      return JSON.stringify(await one(await desk.find(id)))
    case 'list':
      return JSON.stringify(await Promise.all((await desk.list()).map(one)))
    case 'create':
      return JSON.stringify(await one(did(await desk.create(given.value('input'), viewer, saying))))
    case 'update': {
      const changed = did(await desk.update(id, given.value('input'), viewer, saying))
      return JSON.stringify(await one(expectThere(changed, id)))
    }
    case 'delete':
      return deletedText('Webhook', { id, ...did(await desk.delete(id, saying)) }, root.result)
    case 'redeliver': {
      const webhook = String(given.value('webhook'))
      const sent = did(await desk.redeliver(webhook, String(given.value('delivery')), saying))
      return JSON.stringify(applyShape(expectThere(sent, webhook), root.shape))
    }
  }
}

function conditionsOf(ifVersion: unknown): NonNullable<WebhookWriteOptions['given']> | null {
  if (typeof ifVersion !== 'number') return null
  return { presence: null, versions: [ifVersion], otherVersions: null, unmodifiedSince: null }
}

/** Deliveries are read only where they are asked for, and may be asked for under several keys. */
async function toObject(
  view: WebhookView,
  { key, shape, bindPageArguments: page }: PlannedWebhookField,
  { variables, engine }: WebhookFieldContext,
  desk: WebhookAdmin,
): Promise<Record<string, unknown>> {
  const values = applyShape(
    { secret: null, ...view, _version: view.version },
    { ...shape, members: shape.members.filter((one) => one.inner === null) },
  )
  const object = values as Record<string, unknown>
  for (const member of shape.members) {
    if (member.inner === null) continue
    const args = page(member.node, variables)
    const problems: Problem[] = []
    const at = `${key}.${member.key}`
    const offset = checkOffset(args.value('offset') ?? 0, engine.limits, `${at}.offset`, problems)
    const limit = checkPageSize(args.value('limit') ?? defaultPageSize, engine.limits, `${at}.limit`, problems)
    if (problems.length > 0) throw validationError(problems)
    object[member.key] = applyShape((await desk.deliveries(view.id, offset, limit)) ?? [], member.inner)
  }
  return Object.fromEntries(shape.members.map((member) => [member.key, object[member.key]])) // in the order of the request
}

function expectThere<T>(found: T | null, id: string): T {
  if (found === null) throw new ApiError('NOT_FOUND', `There is no Webhook with the id "${id}".`)
  return found
}
