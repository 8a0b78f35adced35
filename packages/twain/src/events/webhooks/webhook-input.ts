// Checks what the declaration of a webhook can't: its address, the bytes of its secret, and its events and filter, which must fit
// the schema. It reports all problems at once.

import { ApiError, isRecord, type Problem, validationError } from '#base'
import type { Viewer } from '#base/http'
import type { Engine, SystemWrite } from '#engine'
import type { Webhook } from '#store'
import { urlProblem } from './send.ts'
import { generateSecret, secretProblem } from './signature.ts'
import { changeKindsOf, planWebhookFilter } from './subscription.ts'

export type WebhookInput = Pick<Webhook, 'url' | 'events' | 'where' | 'secret' | 'active'>

interface WebhookInputContext {
  viewer: Viewer
  engine: Engine
  allowPrivate: boolean
}

/** The new state of a webhook: `before`, or null for a new one, with the fields that the request sets. Throws an ApiError. */
export function readWebhookInput(
  set: SystemWrite['set'],
  before: WebhookInput | null,
  context: WebhookInputContext,
): WebhookInput {
  const { secret, ...fields } = set as Partial<Omit<WebhookInput, 'secret'>> & { secret?: string | null }
  const keepsSecret = secret === undefined && before !== null
  const webhook: WebhookInput = {
    ...(before ?? { url: '', events: [], where: null, active: true }),
    ...fields,
    secret: keepsSecret ? before.secret : (secret ?? generateSecret()),
  }
  const problems = [
    ...problemAt('url', 'url' in set ? urlProblem(webhook.url, context.allowPrivate) : null),
    ...problemAt('secret', typeof secret === 'string' ? secretProblem(secret) : null),
  ]
  changeKindsOf(webhook.events, context.engine.model, 'events' in set ? problems : [])
  if (webhook.where !== null) checkWhere(webhook, context, problems)
  if (problems.length > 0) throw validationError(problems)
  return webhook
}

function problemAt(path: string, message: string | null): Problem[] {
  return message === null ? [] : [{ path, code: 'PATTERN', message }]
}

/** An empty filter fits every type. */
function isEmptyFilter(where: unknown): boolean {
  return isRecord(where) && Object.keys(where).length === 0
}

/** A filter needs events of exactly one type. */
function checkWhere(
  { events, where }: WebhookInput,
  { viewer, engine }: WebhookInputContext,
  problems: Problem[],
): void {
  const [of, ...others] = changeKindsOf(events, engine.model, []).keys()
  if (of === undefined || isEmptyFilter(where)) return
  if (others.length > 0) {
    const message = `needs events of one type, and these are of ${others.length + 1}: create a webhook for each type.`
    problems.push({ path: 'where', code: 'TYPE', message })
    return
  }
  try {
    const { where: planned, values, places } = planWebhookFilter(where, of, viewer, engine)
    engine.subscribe({ plan: { kind: 'subscription', of, where: planned, selections: [] }, values, places }, viewer, {
      isDefaultSelection: true,
    })
  } catch (error) {
    if (!(error instanceof ApiError) || error.problems.length === 0) throw error
    problems.push(...error.problems)
  }
}
