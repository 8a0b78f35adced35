// Reads and checks the input of a webhook, for REST and GraphQL. It reports all problems at once.

import { ApiError, didYouMean, isRecord, type Problem, validationError } from '#base'
import type { Viewer } from '#base/http'
import type { Engine } from '#engine'
import type { Webhook } from '#store'
import { urlProblem } from './send.ts'
import { generateSecret, secretProblem } from './signature.ts'
import { changeKindsOf, planWebhookFilter } from './subscription.ts'

export type WebhookInput = Pick<Webhook, 'url' | 'events' | 'where' | 'secret' | 'active'>

/** Stands for the stored webhook when only the input is checked. Without events, the filter is not checked either. */
export const emptyWebhookInput: WebhookInput = { url: '', events: [], where: null, secret: '', active: true }

interface WebhookInputContext {
  viewer: Viewer
  engine: Engine
  allowPrivate: boolean
}

const fieldNames = ['url', 'events', 'where', 'secret', 'active']
const maxUrlLength = 2000
const maxEvents = 100

/** The new state of a webhook: `before`, or null for a new one, with the input applied. Throws an ApiError. */
export function readWebhookInput(
  input: unknown,
  before: WebhookInput | null,
  context: WebhookInputContext,
): WebhookInput {
  const problems: Problem[] = []
  const members = membersOf(input, problems)
  const has = (name: string) => Object.hasOwn(members, name) && members[name] !== undefined
  const webhook: WebhookInput = {
    url: has('url') || before === null ? readUrl(members.url, context, problems) : before.url,
    events: has('events') || before === null ? readEvents(members.events, context, problems) : before.events,
    where: has('where') ? members.where : (before?.where ?? null),
    secret: has('secret') || before === null ? readSecret(members.secret, problems) : before.secret,
    active: has('active') ? readActive(members.active, problems) : (before?.active ?? true),
  }
  if (webhook.where !== null) checkWhere(webhook, context, problems)
  if (problems.length > 0) throw validationError(problems)
  return webhook
}

function membersOf(input: unknown, problems: Problem[]): Record<string, unknown> {
  if (!isRecord(input)) {
    throw validationError([{ path: '', code: 'TYPE', message: 'must be an object with url and events.' }])
  }
  for (const name of Object.keys(input)) {
    if (fieldNames.includes(name)) continue
    problems.push({
      path: name,
      code: 'UNKNOWN',
      message: `is not a field of a webhook; the fields are ${fieldNames.join(', ')}.${didYouMean(name, fieldNames)}`,
    })
  }
  return input as Record<string, unknown>
}

function readUrl(url: unknown, { allowPrivate }: WebhookInputContext, problems: Problem[]): string {
  const path = 'url'
  if (url === undefined)
    problems.push({ path, code: 'REQUIRED', message: 'is missing: the address that receives the events.' })
  else if (typeof url !== 'string') problems.push({ path, code: 'TYPE', message: 'must be a string.' })
  else if (url.length > maxUrlLength)
    problems.push({ path, code: 'LENGTH', message: `is longer than ${maxUrlLength} characters.` })
  else {
    const problem = urlProblem(url, allowPrivate)
    if (problem !== null) problems.push({ path, code: 'PATTERN', message: problem })
    return url
  }
  return ''
}

function readEvents(events: unknown, { engine }: WebhookInputContext, problems: Problem[]): string[] {
  const path = 'events'
  if (events === undefined) {
    problems.push({
      path,
      code: 'REQUIRED',
      message: 'is missing: a list such as ["post.created", "post.*"], or ["*"].',
    })
    return []
  }
  const list = typeof events === 'string' ? [events] : events // GraphQL accepts one value for a list
  if (!Array.isArray(list) || !list.every((event) => typeof event === 'string')) {
    problems.push({ path, code: 'TYPE', message: 'must be a list of strings.' })
    return []
  }
  if (list.length === 0 || list.length > maxEvents) {
    problems.push({ path, code: 'RANGE', message: `must have from 1 to ${maxEvents} entries.` })
    return []
  }
  changeKindsOf(list, engine.model, problems)
  return list
}

/** Generates one if it is null or missing. */
function readSecret(secret: unknown, problems: Problem[]): string {
  if (secret === undefined || secret === null) return generateSecret()
  const wrong = typeof secret === 'string' ? secretProblem(secret) : 'must be a string.'
  if (wrong !== null) problems.push({ path: 'secret', code: 'PATTERN', message: wrong })
  return String(secret)
}

function readActive(active: unknown, problems: Problem[]): boolean {
  if (typeof active === 'boolean') return active
  problems.push({ path: 'active', code: 'TYPE', message: 'must be true or false.' })
  return false
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
