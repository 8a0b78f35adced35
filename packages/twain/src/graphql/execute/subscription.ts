// An operation that stays open: what is followed, and each event in the shape that was asked for.

import type { Viewer } from '#base'
import type { Engine } from '#engine'
import type { Channel, Event, Interest, Interests } from '#events'
import { channelsOf, type Field } from '#model'
import type { BoundPlan, Selection, SubscriptionPlan } from '#plan'
import { resolveValues } from '#plan/build'
import type { GraphqlOperation } from '../document/document-cache.ts'
import type { ResponseError, UnexpectedErrorHandler } from '../document/response-errors.ts'
import type { VariableValues } from '../input/argument-values.ts'
import type { PlannedField } from '../plan/plan-operation.ts'
import type { PlannedSubscriptionField } from '../plan/plan-subscription.ts'
import { replaceFailedFields } from './failed-fields.ts'
import { reportForbiddenFields } from './forbidden-fields.ts'
import { formatResults } from './format.ts'

/** What an operation came to, where it need not be over at once. */
export type OperationOutcome = { kind: 'answer'; text: string } | SubscriptionStream

interface SubscriptionStream {
  kind: 'stream'
  interests: Interests
  after: string | null
  /** Where the request has it. */
  path: string
}

interface SubscriptionContext {
  operation: GraphqlOperation
  variables: VariableValues
  /** Of the operation and its variables: equal where the answers have the same form. */
  key: string
  viewer: Viewer
  engine: Engine
  /** Whether a field may be refused to this viewer at all. */
  mayForbid: boolean
  onError: UnexpectedErrorHandler | null
  /** The id of the request. */
  requestId: string | undefined
}

/** Throws a Fault. */
export function subscribe(
  root: PlannedField & PlannedSubscriptionField,
  asked: SubscriptionContext,
): SubscriptionStream {
  const { plan, requestValues, places, bindArguments: given } = root
  const { variables, viewer, engine } = asked
  const boundPlan: BoundPlan<SubscriptionPlan> = { plan, values: resolveValues(requestValues, variables), places }
  const args = given(variables)
  const interest: Interest = {
    watching: engine.subscribe(boundPlan, viewer),
    kinds: root.kinds,
    channel: channelOf(plan.of, (name) => args.value(name)),
    format: (event) => formatEvent(event, root, asked),
    key: asked.key,
  }
  const after = args.value('after') ?? null
  return {
    kind: 'stream',
    interests: new Map([[plan.of, interest]]),
    after: after === null ? null : String(after),
    path: `${root.key}.after`,
  }
}

function channelOf(of: SubscriptionPlan['of'], given: (name: string) => unknown): Channel | null {
  const id = given('id') ?? null
  if (id !== null) return { kind: 'row', id: String(id) }
  for (const field of channelsOf(of)) {
    const other = given(field.name) ?? (field.alias === undefined ? null : given(field.alias)) ?? null
    // Over an interface or a union the id may name its type: then the filter alone says what is meant.
    if (other !== null && field.to.kind === 'resource') return { kind: 'reference', field, id: String(other) }
  }
  return null
}

function formatEvent(event: Event, root: PlannedField & PlannedSubscriptionField, asked: SubscriptionContext): string {
  const { key } = root
  const { operation, engine, mayForbid: refuses } = asked
  const failed: ResponseError[] = []
  const text = eventText(event, root, asked, failed)
  const extensions = { cursor: event.cursor }
  if (text === null) return formatResults([{ key, text: 'null', refused: failed, isNulled: true }], extensions)
  if (!refuses) return formatResults([{ key, text, refused: failed }], extensions)
  const seen = reportForbiddenFields(text, root, { operation, engine, deniedFields: new Set<Field>() })
  return formatResults([{ key, text: seen.text, refused: [...failed, ...seen.errors] }], extensions)
}

/** Null: the root field itself can't be, since code failed to give what must be there. */
function eventText(
  { change, cursor, told }: Event,
  { key: root, members, rows, plan }: PlannedField & PlannedSubscriptionField,
  { operation, engine, onError, requestId }: SubscriptionContext,
  failed: ResponseError[],
): string | null {
  if (members === null) return told.text === null ? 'null' : seenText(told.text, [root], plan.selections)
  const texts = members.map(({ key, name }) => `${JSON.stringify(key)}:${memberText(key, name)}`)
  return `{${texts.join(',')}}`

  function memberText(key: string, name: string): string {
    switch (name) {
      case 'kind':
        return JSON.stringify(told.kind.toUpperCase())
      case 'cursor':
        return JSON.stringify(cursor)
      case 'version':
        return String(change.version)
      case 'id':
        return JSON.stringify(change.id)
      case '__typename':
        return JSON.stringify(rows === null ? `${plan.of.name}Deleted` : `${plan.of.name}Changed`)
      default:
        return told.text === null ? 'null' : rowText(told.text, key)
    }
  }

  /** With nulls, and errors, where own code failed. */
  function seenText(text: string, at: readonly string[], level: readonly Selection[]): string | null {
    const { failures } = told
    if (failures === undefined) return text
    const seen = replaceFailedFields(at, text, failures, level, { operation, model: engine.model, onError, requestId })
    failed.push(...seen.errors)
    return seen.text
  }

  /** Asked for once, the text is the row; under several keys each has members of its own in it. */
  function rowText(text: string, key: string): string {
    if (rows !== null && rows.length === 1) return seenText(text, [root, key], plan.selections) ?? 'null'
    const prefix = `${key}\n`
    const own = Object.entries(JSON.parse(text) as object).filter(([name]) => name.startsWith(prefix))
    const row = JSON.stringify(Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value])))
    const level = plan.selections.filter((selection) => selection.key.startsWith(prefix))
    return (
      seenText(
        row,
        [root, key],
        level.map((selection) => ({ ...selection, key: selection.key.slice(prefix.length) })),
      ) ?? 'null'
    )
  }
}
