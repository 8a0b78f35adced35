// What somebody says of a webhook, the same on both faces: checked as a whole, every mistake told with its place.

import { ApiError, didYouMean, isRecord, type Problem, type Viewer, validationError } from '#base'
import type { Engine } from '#engine'
import type { Webhook } from '#store'
import { urlProblem } from './send.ts'
import { generateSecret, secretProblem } from './signature.ts'
import { changeKindsOf, planWebhookFilter } from './subscription.ts'

export type WebhookInput = Pick<Webhook, 'url' | 'events' | 'where' | 'secret' | 'active'>

/** In the place of a webhook that nobody has looked for: its filter is not judged, where its events are not said either. */
export const emptyWebhookInput: WebhookInput = { url: '', events: [], where: null, secret: '', active: true }

interface WebhookInputContext {
  viewer: Viewer
  engine: Engine
  allowPrivate: boolean
}

const names = ['url', 'events', 'where', 'secret', 'active']
const longestUrl = 2000
const mostEvents = 100

/** What a webhook is to be: `before`, or null for a new one, with what the input says. Throws a Fault. */
export function readWebhookInput(
  input: unknown,
  before: WebhookInput | null,
  judging: WebhookInputContext,
): WebhookInput {
  const problems: Problem[] = []
  const members = membersOf(input, problems)
  const has = (name: string) => Object.hasOwn(members, name) && members[name] !== undefined
  const said: WebhookInput = {
    url: has('url') || before === null ? readUrl(members.url, judging, problems) : before.url,
    events: has('events') || before === null ? readEvents(members.events, judging, problems) : before.events,
    where: has('where') ? members.where : (before?.where ?? null),
    secret: has('secret') || before === null ? readSecret(members.secret, problems) : before.secret,
    active: has('active') ? readActive(members.active, problems) : (before?.active ?? true),
  }
  if (said.where !== null) checkWhere(said, judging, problems)
  if (problems.length > 0) throw validationError(problems)
  return said
}

function membersOf(input: unknown, problems: Problem[]): Record<string, unknown> {
  if (!isRecord(input)) {
    throw validationError([{ path: '', code: 'TYPE', message: 'must be an object with url and events.' }])
  }
  for (const name of Object.keys(input)) {
    if (names.includes(name)) continue
    problems.push({
      path: name,
      code: 'UNKNOWN',
      message: `is no field that can be set; there is ${names.join(', ')}.${didYouMean(name, names)}`,
    })
  }
  return input as Record<string, unknown>
}

function readUrl(url: unknown, { allowPrivate }: WebhookInputContext, problems: Problem[]): string {
  const path = 'url'
  if (url === undefined) problems.push({ path, code: 'REQUIRED', message: 'is missing: where events are sent to.' })
  else if (typeof url !== 'string') problems.push({ path, code: 'TYPE', message: 'must be a text.' })
  else if (url.length > longestUrl)
    problems.push({ path, code: 'LENGTH', message: `is longer than ${longestUrl} characters.` })
  else {
    const wrong = urlProblem(url, allowPrivate)
    if (wrong !== null) problems.push({ path, code: 'PATTERN', message: wrong })
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
  const list = typeof events === 'string' ? [events] : events // as GraphQL takes a list of one
  if (!Array.isArray(list) || !list.every((event) => typeof event === 'string')) {
    problems.push({ path, code: 'TYPE', message: 'must be a list of texts.' })
    return []
  }
  if (list.length === 0 || list.length > mostEvents) {
    problems.push({ path, code: 'RANGE', message: `must have from 1 to ${mostEvents} entries.` })
    return []
  }
  changeKindsOf(list, engine.model, problems)
  return list
}

/** Null, or left out for a new one: it is made. */
function readSecret(secret: unknown, problems: Problem[]): string {
  if (secret === undefined || secret === null) return generateSecret()
  const wrong = typeof secret === 'string' ? secretProblem(secret) : 'must be a text.'
  if (wrong !== null) problems.push({ path: 'secret', code: 'PATTERN', message: wrong })
  return String(secret)
}

function readActive(active: unknown, problems: Problem[]): boolean {
  if (typeof active === 'boolean') return active
  problems.push({ path: 'active', code: 'TYPE', message: 'must be true or false.' })
  return false
}

/** It asks for nothing, of whatever type. */
function isEmpty(where: unknown): boolean {
  return isRecord(where) && Object.keys(where).length === 0
}

/** A filter is about the rows of one type. */
function checkWhere(
  { events, where }: WebhookInput,
  { viewer, engine }: WebhookInputContext,
  problems: Problem[],
): void {
  const [of, ...others] = changeKindsOf(events, engine.model, []).keys()
  if (of === undefined || isEmpty(where)) return
  if (others.length > 0) {
    const message = `is about one type, and the events are of ${others.length + 1}: make a webhook for each.`
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
