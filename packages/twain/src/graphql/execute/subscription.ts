// A subscription: which changes it follows, and each event as a GraphQL response with the selected fields.

import type { Viewer } from '#base/http'
import type { Engine } from '#engine'
import {
  authorOf,
  type EventChannel,
  type Interest,
  type Interests,
  type ProjectedChange,
  type ValueSource,
} from '#events'
import type { Field } from '#model'
import { channelsOf, namesOf } from '#model/names'
import type { Selection, SubscriptionPlan } from '#plan'
import { bindPlan } from '#plan/build'
import type { GraphqlOperation } from '../document/document-cache.ts'
import type { ResponseError, UnexpectedErrorHandler } from '../document/response-errors.ts'
import type { VariableValues } from '../input/argument-values.ts'
import type { PlannedField } from '../plan/plan-operation.ts'
import type { PlannedSubscriptionField } from '../plan/plan-subscription.ts'
import { replaceFailedFields } from './failed-fields.ts'
import { reportForbiddenFields } from './forbidden-fields.ts'
import { formatResults } from './format.ts'

/** The response of a query or a mutation, or the stream of a subscription: of changes, or of values of custom code. */
export type OperationOutcome =
  | { kind: 'response'; text: string; retryAfter: string | null }
  | SubscriptionStream
  | { kind: 'values'; source: ValueSource }

interface SubscriptionStream {
  kind: 'stream'
  interests: Interests
  /** The cursor after which the stream begins; null: now. */
  after: string | null
  /** The path of `after` in the request, for errors. */
  afterPath: string
}

interface SubscriptionContext {
  operation: GraphqlOperation
  variables: VariableValues
  /** Equal for operations whose responses have the same shape. */
  key: string
  viewer: Viewer
  engine: Engine
  onError: UnexpectedErrorHandler | null
  requestId: string | undefined
  /** The estimated memory of the planned operation. */
  bytes: number
}

/** Throws an ApiError if the viewer may not subscribe. */
export function subscribe(
  root: PlannedField & PlannedSubscriptionField,
  context: SubscriptionContext,
): SubscriptionStream {
  const { plan, bindArguments } = root
  const { variables, viewer, engine } = context
  const boundPlan = bindPlan(root, variables)
  const args = bindArguments(variables)
  const interest: Interest = {
    subscription: engine.subscribe(boundPlan, viewer),
    kinds: root.kinds,
    channel: channelOf(plan.of, (name) => args.value(name)),
    format: (event) => formatEvent(event, root, context),
    key: context.key,
    memory: { shape: root, bytes: context.bytes, isBounded: false },
  }
  const after = args.value('after') ?? null
  return {
    kind: 'stream',
    interests: new Map([[plan.of, interest]]),
    after: after === null ? null : String(after),
    afterPath: `${root.key}.after`,
  }
}

function channelOf(of: SubscriptionPlan['of'], argument: (name: string) => unknown): EventChannel | null {
  const id = argument('id') ?? null
  if (id !== null) return { kind: 'row', id: String(id) }
  for (const field of channelsOf(of)) {
    const other = namesOf(field)
      .map(argument)
      .find((value) => value !== undefined && value !== null)
    // Over an interface or a union the id may include the type: then only the filter applies.
    if (other !== undefined && (field.kind === 'stored' || field.to.kind === 'resource'))
      return { kind: 'field', field, value: String(other) }
  }
  return null
}

function formatEvent(
  event: ProjectedChange,
  root: PlannedField & PlannedSubscriptionField,
  context: SubscriptionContext,
): string {
  const { key } = root
  const { operation, engine } = context
  const failed: ResponseError[] = []
  const text = eventText(event, root, context, failed)
  const extensions = { cursor: event.cursor }
  if (text === null) return formatResults([{ key, text: 'null', errors: failed, isNulled: true }], extensions)
  const visible = reportForbiddenFields(text, root, { operation, engine, deniedFields: new Set<Field>() })
  return formatResults([{ key, text: visible.text, errors: [...failed, ...visible.errors] }], extensions)
}

/** Null if custom code failed in a way that makes the root field null. */
function eventText(
  { change, cursor, event }: ProjectedChange,
  { key: root, members, rows, plan }: PlannedField & PlannedSubscriptionField,
  { operation, engine, onError, requestId }: SubscriptionContext,
  failed: ResponseError[],
): string | null {
  if (members === null) return event.text === null ? 'null' : withFailures(event.text, [root], plan.selections)
  const texts = members.map(({ key, name }) => `${JSON.stringify(key)}:${memberText(key, name)}`)
  return `{${texts.join(',')}}`

  function memberText(key: string, name: string): string {
    switch (name) {
      case 'kind':
        return JSON.stringify(event.kind.toUpperCase())
      case 'cursor':
        return JSON.stringify(cursor)
      case 'version':
        return String(change.version)
      case 'id':
        return JSON.stringify(change.id)
      case 'by':
      case 'via':
        return JSON.stringify(authorOf({ change, event })[name] ?? null)
      case '__typename':
        return JSON.stringify(rows === null ? `${plan.of.name}Deleted` : `${plan.of.name}Changed`)
      default:
        return event.text === null ? 'null' : rowText(event.text, key)
    }
  }

  /** The text with nulls, and their errors, in the places where custom code failed. */
  function withFailures(text: string, at: readonly string[], level: readonly Selection[]): string | null {
    const { failures } = event
    if (failures === undefined) return text
    const replaced = replaceFailedFields(at, text, failures, level, {
      operation,
      model: engine.model,
      onError,
      requestId,
    })
    failed.push(...replaced.errors)
    return replaced.text
  }

  /** Selected under one key, the text is the row. Under several keys, the members of each have the key as a prefix. */
  function rowText(text: string, key: string): string {
    if (rows !== null && rows.length === 1) return withFailures(text, [root, key], plan.selections) ?? 'null'
    const prefix = `${key}\n`
    const ofKey = Object.entries(JSON.parse(text) as object).filter(([name]) => name.startsWith(prefix))
    const row = JSON.stringify(Object.fromEntries(ofKey.map(([name, value]) => [name.slice(prefix.length), value])))
    const level = plan.selections.filter((selection) => selection.key.startsWith(prefix))
    return (
      withFailures(
        row,
        [root, key],
        level.map((selection) => ({ ...selection, key: selection.key.slice(prefix.length) })),
      ) ?? 'null'
    )
  }
}
