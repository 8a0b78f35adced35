// An operation that stays open: what is followed, and each event in the shape that was asked for.

import type { Viewer } from '#base'
import type { Engine } from '#engine'
import type { Channel, Event, Interest, Interests } from '#events'
import { channelsOf, type Field } from '#model'
import { type Question, valuesAgain, type Watch } from '#plan'
import type { Variables } from './argument-values.ts'
import type { Operation } from './document.ts'
import { formatResults } from './format.ts'
import type { Root } from './plan-operation.ts'
import type { WatchRoot } from './plan-subscription.ts'
import { tellRefused } from './refused-fields.ts'

/** What an operation came to, where it need not be over at once. */
export type Operated = { kind: 'answer'; text: string } | { kind: 'stream'; interests: Interests; after: string | null }

interface Subscribing {
  operation: Operation
  variables: Variables
  /** Of the operation and its variables: equal where the answers have the same form. */
  key: string
  viewer: Viewer
  engine: Engine
  /** Whether a field may be refused to this viewer at all. */
  refuses: boolean
}

/** Throws a Fault. */
export function subscribe(root: Root & WatchRoot, asked: Subscribing): Operated & { kind: 'stream' } {
  const { plan, leaves, places, given } = root
  const { variables, viewer, engine } = asked
  const question: Question<Watch> = { plan, values: valuesAgain(leaves, variables), places }
  const args = given(variables)
  const interest: Interest = {
    watching: engine.watch(question, viewer),
    kinds: root.kinds,
    channel: channelOf(plan.of, (name) => args.value(name)),
    format: (event) => formatEvent(event, root, asked),
    key: asked.key,
  }
  const after = args.value('after') ?? null
  return { kind: 'stream', interests: new Map([[plan.of, interest]]), after: after === null ? null : String(after) }
}

function channelOf(of: Watch['of'], given: (name: string) => unknown): Channel | null {
  const id = given('id') ?? null
  if (id !== null) return { kind: 'row', id: String(id) }
  for (const field of channelsOf(of)) {
    const other = given(field.name) ?? (field.was === undefined ? null : given(field.was)) ?? null
    // Over an interface or a union the id may name its type: then the filter alone says what is meant.
    if (other !== null && field.to.kind === 'resource') return { kind: 'reference', field, id: String(other) }
  }
  return null
}

function formatEvent(event: Event, root: Root & WatchRoot, { operation, engine, refuses }: Subscribing): string {
  const { key } = root
  const text = eventText(event, root)
  const extensions = { cursor: event.cursor }
  if (!refuses) return formatResults([{ key, text, refused: [] }], extensions)
  const seen = tellRefused(text, root, { operation, engine, refused: new Set<Field>() })
  return formatResults([{ key, text: seen.text, refused: seen.errors }], extensions)
}

function eventText({ change, cursor, told }: Event, { members, rows, plan }: WatchRoot): string {
  if (members === null) return told.text ?? 'null'
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

  /** Asked for once, the text is the row; under several keys each has members of its own in it. */
  function rowText(text: string, key: string): string {
    if (rows !== null && rows.length === 1) return text
    const own = Object.entries(JSON.parse(text) as object).filter(([name]) => name.startsWith(`${key}\n`))
    return JSON.stringify(Object.fromEntries(own.map(([name, value]) => [name.slice(key.length + 1), value])))
  }
}
