// Compares events with the oracle: none is missing, none comes twice, those of a row are in order, and each has the row as it was after
// the change, with the fields of the version that is asked.

import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { type FieldSketch, listName, type Plain, type TypeSketch, typeOf } from './chain.ts'
import type { VersionNode } from './node.ts'
import { assertValue, defaultOf, type Event, isValue, type Oracle, type Row } from './oracle.ts'

export interface FoundEvent {
  kind: string
  type: string
  id: string
  version: number
  /** The row after it; null: it is deleted. */
  data: Record<string, unknown> | null
}

/** The whole log, as a node shows it. */
export async function compareLog(node: VersionNode, oracle: Oracle): Promise<void> {
  const expected = oracle.events.filter(({ type }) => typeOf(oracle.chain, type, node.version) !== undefined)
  const found = await readLog(node, '', oracle, expected)
  compareEvents(found, expected, node.version, oracle, `/changes of version ${node.version}`)
}

/** A filter works like a rule: what starts to match is updated, what stops to match is deleted. */
export async function compareFiltered(
  node: VersionNode,
  oracle: Oracle,
  typeName: string,
  fieldName: string,
  value: Plain,
): Promise<void> {
  const type = typeOf(oracle.chain, typeName, node.version)
  const field = type?.fields.find(({ name }) => name === fieldName)
  if (type === undefined || field === undefined) return
  const events = oracle.events.filter((event) => event.type === typeName)
  if (events.some(({ newest }) => newest < field.since)) return // what such an entry has is not promised
  const matches = (values: Row['values'] | null) => values !== null && values[fieldName] === value
  const expected = events.flatMap((event): Event[] => {
    const [before, after] = [matches(event.before), matches(event.after)]
    if (!before && !after) return []
    return after ? [event] : [{ ...event, kind: 'deleted', after: null }]
  })
  const path = `&resource=${listName(type)}&${fieldName}=${encodeURIComponent(String(value))}`
  const found = await readLog(node, path, oracle, expected)
  compareEvents(found, expected, node.version, oracle, `/changes?${path} of version ${node.version}`)
}

/** `kinds`: the kinds of fields that were asked for. */
export function compareEvents(
  found: readonly FoundEvent[],
  expected: readonly Event[],
  version: number,
  oracle: Oracle,
  place: string,
  kinds: readonly string[] = ['scalar', 'time', 'reference', 'file'],
): void {
  const left = [...found]
  for (const request of Map.groupBy(expected, (event) => event.request).values()) {
    // The changes of one request are one transaction, in any order.
    const open = [...request]
    while (left.length > 0) {
      const at = open.findIndex(
        (event) => event.id === left[0]!.id && event.type === left[0]!.type && event.version === left[0]!.version,
      )
      if (at < 0) break
      const [event] = open.splice(at, 1) as [Event]
      const fields = typeOf(oracle.chain, event.type, version)!.fields.filter(({ kind }) => kinds.includes(kind))
      compareEvent(left.shift()!, event, fields, place)
    }
    const missing = open.filter(({ visibleSince }) => visibleSince <= version)
    assert.deepEqual(
      missing.map(describe),
      [],
      `${place} lacks events before ${left[0] === undefined ? 'its end' : describe(left[0])}`,
    )
  }
  assert.deepEqual(left.map(describe), [], `${place} has more events than there were changes`)
}

function describe({ kind, type, id, version }: Pick<FoundEvent, 'kind' | 'type' | 'id' | 'version'>): string {
  return `${type} ${id} ${kind}, version ${version}`
}

function compareEvent(found: FoundEvent, expected: Event, fields: readonly FieldSketch[], place: string): void {
  const at = `${place}: ${describe(found)}`
  assert.equal(found.kind, expected.kind, `${at}: its kind`)
  if (expected.after === null || found.data === null) {
    assert.ok(expected.after === null && found.data === null, `${at}: whether it has a row`)
    return
  }
  for (const field of fields) {
    const shown = found.data[field.name]
    if (field.since <= expected.newest) assertValue(shown, expected.after[field.name]!, `${at}: ${field.name}`)
    else
      assert.ok(
        isUnknownThen(shown, field),
        `${at}: ${field.name}, which did not exist yet, is ${JSON.stringify(shown)}`,
      )
  }
}

/** An entry from before a field existed leaves it out, or has what the rows got: never null where the schema excludes it. */
function isUnknownThen(shown: unknown, field: FieldSketch): boolean {
  if (shown === undefined) return true
  if (field.kind === 'time') return isValue(shown, { from: 0, to: Number.POSITIVE_INFINITY })
  return shown === defaultOf(field)
}

/** On PostgreSQL a change gets its place in the log a moment after its commit. */
async function readLog(
  node: VersionNode,
  filter: string,
  oracle: Oracle,
  expected: readonly Event[],
): Promise<FoundEvent[]> {
  const needed = expected.filter(({ visibleSince }) => visibleSince <= node.version).length
  const end = performance.now() + logDelayMs
  for (;;) {
    const found = await readPages(node, filter, oracle)
    if (found.length >= needed || performance.now() > end) return found
    await pause(10)
  }
}

const logDelayMs = 10_000

async function readPages(node: VersionNode, filter: string, oracle: Oracle): Promise<FoundEvent[]> {
  const types = oracle.chain.types.filter(({ since }) => since <= node.version)
  const found: FoundEvent[] = []
  for (let after = ''; ; ) {
    const path = `/changes?first=100${filter}${after}`
    const { status, body } = await node.rest('GET', path)
    assert.equal(status, 200, `GET ${path}: ${JSON.stringify(body)}`)
    const { edges, pageInfo } = body as FeedPage
    found.push(...edges.map(({ node: event }) => fromCloudEvent(event, types)))
    if (!pageInfo.hasNextPage) return found
    after = `&after=${pageInfo.endCursor}`
  }
}

interface FeedPage {
  edges: { node: CloudEvent }[]
  pageInfo: { hasNextPage: boolean; endCursor: string }
}

export interface CloudEvent {
  id: string
  type: string
  subject: string
  version: number
  data: Record<string, unknown>
}

export function fromCloudEvent({ type, subject, version, data }: CloudEvent, types: readonly TypeSketch[]): FoundEvent {
  const [name, kind] = type.split('.') as [string, string]
  const of = types.find((one) => one.name.toLowerCase() === name)
  assert.ok(of !== undefined, `an event of ${name}, which this version does not have`)
  return { kind, type: of.name, id: subject, version, data: kind === 'deleted' ? null : data }
}
