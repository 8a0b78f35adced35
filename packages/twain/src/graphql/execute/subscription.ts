// An operation that stays open: what is followed, and each event in the shape that was asked for.

import type { Viewer } from '#base'
import type { Engine } from '#engine'
import type { Channel, Event, Interest, Interests } from '#events'
import { channelsOf, type Field } from '#model'
import type { BoundPlan, Selection, SubscriptionPlan } from '#plan'
import { resolveValues } from '#plan/build'
import type { Variables } from '../document/argument-values.ts'
import type { Operation } from '../document/document.ts'
import type { OnError, ResponseError } from '../document/request-errors.ts'
import type { Root } from '../plan/plan-operation.ts'
import type { WatchRoot } from '../plan/plan-subscription.ts'
import { tellFailed } from './failed-fields.ts'
import { tellRefused } from './forbidden-fields.ts'
import { formatResults } from './format.ts'

/** What an operation came to, where it need not be over at once. */
export type Operated = { kind: 'answer'; text: string } | Stream

interface Stream {
  kind: 'stream'
  interests: Interests
  after: string | null
  /** Where the request has it. */
  place: string
}

interface Subscribing {
  operation: Operation
  variables: Variables
  /** Of the operation and its variables: equal where the answers have the same form. */
  key: string
  viewer: Viewer
  engine: Engine
  /** Whether a field may be refused to this viewer at all. */
  refuses: boolean
  onError: OnError | null
  /** The id of the request. */
  request: string | undefined
}

/** Throws a Fault. */
export function subscribe(root: Root & WatchRoot, asked: Subscribing): Stream {
  const { plan, leaves, places, given } = root
  const { variables, viewer, engine } = asked
  const boundPlan: BoundPlan<SubscriptionPlan> = { plan, values: resolveValues(leaves, variables), places }
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
    place: `${root.key}.after`,
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

function formatEvent(event: Event, root: Root & WatchRoot, asked: Subscribing): string {
  const { key } = root
  const { operation, engine, refuses } = asked
  const failed: ResponseError[] = []
  const text = eventText(event, root, asked, failed)
  const extensions = { cursor: event.cursor }
  if (text === null) return formatResults([{ key, text: 'null', refused: failed, isNulled: true }], extensions)
  if (!refuses) return formatResults([{ key, text, refused: failed }], extensions)
  const seen = tellRefused(text, root, { operation, engine, refused: new Set<Field>() })
  return formatResults([{ key, text: seen.text, refused: [...failed, ...seen.errors] }], extensions)
}

/** Null: the root field itself can't be, since code failed to give what must be there. */
function eventText(
  { change, cursor, told }: Event,
  { key: root, members, rows, plan }: Root & WatchRoot,
  { operation, engine, onError, request }: Subscribing,
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
    const seen = tellFailed(at, text, failures, level, { operation, model: engine.model, onError, request })
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
