// `changes`, and `webhooks`, `createWebhook` and the other fields of webhooks. The events module decides what the viewer may do; this file
// passes the input on and shapes the result as the request selects it.

import { ApiError, type Problem, validationError } from '#base'
import type { Viewer } from '#base/http'
import type { Engine } from '#engine'
import {
  type Events,
  type FeedPage,
  type LogPoint,
  resourceByPath,
  type WebhookAdmin,
  type Webhooks,
  type WebhookView,
  type WebhookWriteOptions,
} from '#events'
import { checkOffset, checkPageSize, defaultPageSize } from '#plan/build'
import type { VariableValues } from '../input/argument-values.ts'
import { applyShape } from '../plan/object-shape.ts'
import type { PlannedChangesField, PlannedWebhookField } from '../plan/plan-system-fields.ts'
import type { IdempotencyTracker } from './execution-context.ts'
import { deletedText } from './format.ts'

interface WebhookFieldContext {
  variables: VariableValues
  viewer: Viewer
  engine: Engine
  idempotency: IdempotencyTracker | null
}

/** The JSON text of the root field. */
export async function webhookText(
  root: PlannedWebhookField,
  context: WebhookFieldContext,
  webhooks: Webhooks,
): Promise<string> {
  const { viewer, variables, idempotency } = context
  const admin = await webhooks.admin(viewer)
  const args = root.bindArguments(variables)
  const id = String(args.value('id'))
  const one = async (view: WebhookView | null) => (view === null ? null : toObject(view, root, context, admin))
  const options: WebhookWriteOptions = {
    idempotencyKey: idempotency?.keyFor(root.key) ?? null,
    precondition: preconditionsOf(args.value('ifVersion')),
  }
  const counted = <T>({ value, replayed }: { value: T; replayed: boolean }): T => {
    if (idempotency !== null) idempotency[replayed ? 'replayed' : 'executed']++
    return value
  }
  switch (root.action) {
    case 'one':
      return JSON.stringify(await one(await admin.find(id)))
    case 'list':
      return JSON.stringify(await Promise.all((await admin.list()).map(one)))
    case 'create':
      return JSON.stringify(await one(counted(await admin.create(args.value('input'), viewer, options))))
    case 'update': {
      const changed = counted(await admin.update(id, args.value('input'), viewer, options))
      return JSON.stringify(await one(expectThere(changed, id)))
    }
    case 'delete':
      return deletedText('Webhook', { id, ...counted(await admin.delete(id, options)) }, root.deleteResult)
    case 'redeliver': {
      const webhook = String(args.value('webhook'))
      const sent = counted(await admin.redeliver(webhook, String(args.value('delivery')), options))
      return JSON.stringify(applyShape(expectThere(sent, webhook), root.shape))
    }
  }
}

function preconditionsOf(ifVersion: unknown): NonNullable<WebhookWriteOptions['precondition']> | null {
  if (typeof ifVersion !== 'number') return null
  return { presence: null, versions: [ifVersion], otherVersions: null, unmodifiedSince: null }
}

/** Reads deliveries only if they are selected, once for each key. */
async function toObject(
  view: WebhookView,
  { key, shape, bindPageArguments }: PlannedWebhookField,
  { variables, engine }: WebhookFieldContext,
  admin: WebhookAdmin,
): Promise<Record<string, unknown>> {
  const values = applyShape(
    { secret: null, ...view, _version: view.version },
    { ...shape, members: shape.members.filter((one) => one.inner === null) },
  )
  const object = values as Record<string, unknown>
  for (const member of shape.members) {
    if (member.inner === null) continue
    const args = bindPageArguments(member.node, variables)
    const problems: Problem[] = []
    const path = `${key}.${member.key}`
    const offset = checkOffset(args.value('offset') ?? 0, engine.limits, `${path}.offset`, problems)
    const limit = checkPageSize(args.value('limit') ?? defaultPageSize, engine.limits, `${path}.limit`, problems)
    if (problems.length > 0) throw validationError(problems)
    object[member.key] = applyShape((await admin.deliveries(view.id, offset, limit)) ?? [], member.inner)
  }
  return Object.fromEntries(shape.members.map((member) => [member.key, object[member.key]])) // in the order of the request
}

function expectThere<T>(found: T | null, id: string): T {
  if (found === null) throw new ApiError('NOT_FOUND', `There is no Webhook with the id "${id}".`)
  return found
}

/** The change feed as a connection, with the same events as `/changes` in REST. The JSON text of the root field. */
export async function changesText(
  { key, shape, bindArguments }: PlannedChangesField,
  variables: VariableValues,
  viewer: Viewer,
  engine: Engine,
  events: Events,
): Promise<string> {
  const args = bindArguments(variables)
  const problems: Problem[] = []
  const first = checkPageSize(args.value('first') ?? defaultPageSize, engine.limits, `${key}.first`, problems)
  const path = args.value('resource') ?? null
  const of = path === null ? null : resourceByPath(String(path), engine.model, `${key}.resource`, problems)
  if (problems.length > 0) throw validationError(problems)
  const after = args.value('after') ?? null
  const interests = events.interests(viewer, of)
  const pageAfter = (point: LogPoint) => events.page(interests, viewer, point, first)
  const page = await (after === null
    ? events.fromOldest(pageAfter)
    : events.point(String(after), `${key}.after`).then(pageAfter))
  return JSON.stringify(applyShape(toConnection(page, after !== null), shape))
}

function toConnection({ events, endCursor, hasNextPage }: FeedPage, hasPreviousPage: boolean): Record<string, unknown> {
  return {
    edges: events.map(({ text, cursor }) => ({ node: { by: null, via: null, ...JSON.parse(text) }, cursor })),
    pageInfo: { hasNextPage, endCursor, hasPreviousPage, startCursor: events[0]?.cursor ?? null },
  }
}
