// Compares what a node answers about rows, searches and files with the oracle, as the node's version must show it.

import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { type FieldSketch, isSearched, listName, type TypeSketch, typeOf, typesOf } from './chain.ts'
import type { VersionNode } from './node.ts'
import { assertValue, isColumn, type Oracle, type Row } from './oracle.ts'
import type { Api } from './step.ts'

/** The oracle of everything that a version shows of a type, in the APIs. */
export async function compareRows(node: VersionNode, oracle: Oracle, typeName: string, api: Api): Promise<void> {
  const type = typeOf(oracle.chain, typeName, node.version)
  if (type === undefined) return
  const rows = await readRows(node, type, api)
  const expected = oracle.rows(typeName).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const place = `${listName(type)} by ${api} of version ${node.version}`
  assert.deepEqual(
    rows.map(({ id }) => id),
    expected.map(({ id }) => id),
    `the ids of ${place}`,
  )
  for (const [index, row] of expected.entries()) compareRow(rows[index]!, row, type, oracle, place)
}

/** Every field of a row that its version has; lists are sorted. */
export function compareRow(found: Shown, row: Row, type: TypeSketch, oracle: Oracle, place: string): void {
  const at = `${place}: ${row.type} ${row.id}`
  if (found._version !== undefined) assert.equal(found._version, row.version, `${at} _version`)
  for (const field of type.fields) {
    if (isColumn(field)) {
      if (field.name in found) assertValue(found[field.name], row.values[field.name]!, `${at} ${field.name}`)
      else assert.fail(`${at} has no ${field.name}`)
    } else if (field.name in found) {
      assert.deepEqual(found[field.name], listOf(field, row, oracle).toSorted(), `${at} ${field.name}`)
    }
  }
}

function listOf(field: FieldSketch, row: Row, oracle: Oracle): string[] {
  switch (field.kind) {
    case 'links':
      return oracle.linked(row.type, field, row.id)
    case 'files':
      return oracle.listed(row.type, field, row.id)
    case 'children':
      return oracle.children(field, row.id)
    default:
      return []
  }
}

export type Shown = Record<string, unknown>

async function readRows(node: VersionNode, type: TypeSketch, api: Api): Promise<Shown[]> {
  const list = listName(type)
  if (api === 'graphql') {
    const query = `{ ${list}(limit: 100, orderBy: [{id: ASC}]) ${selection(type)} }`
    return (answered(await node.graphql(query), 200, query) as Record<string, Shown[]>)[list]!.map(flattened)
  }
  const names = type.fields.map((field) => (isColumn(field) ? field.name : `${field.name}.id`))
  const path = `/${list}?limit=100&sort=id&fields=${['id', ...names].join()}`
  return (answered(await node.rest('GET', path), 200, path) as Shown[]).map(flattened)
}

/** Every field of the type in GraphQL. */
export function selection({ fields }: TypeSketch): string {
  const parts = fields.map((field) =>
    field.kind === 'scalar' || field.kind === 'time' ? field.name : `${field.name} { id }`,
  )
  return `{ ${['id', '_version', ...parts].join(' ')} }`
}

/** References, files and lists as ids. */
export function flattened(shown: Shown): Shown {
  const idOf = (value: unknown) => (typeof value === 'object' && value !== null && 'id' in value ? value.id : value)
  return Object.fromEntries(
    Object.entries(shown).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(idOf).toSorted() : idOf(value),
    ]),
  )
}

/** The body of an answer that must have this status. */
export function answered(
  { status, body }: { status: number; body: unknown },
  expected: number,
  request: string,
): unknown {
  assert.equal(status, expected, `${request}: ${status} ${JSON.stringify(body)}`)
  return body
}

/** Words are searched within a second, also those that a node wrote which does not search their field. */
export async function compareSearch(
  node: VersionNode,
  oracle: Oracle,
  typeName: string,
  word: string,
  api: Api,
): Promise<void> {
  const type = typeOf(oracle.chain, typeName, node.version)
  const searched = type?.fields.filter((field) => isSearched(field, node.version)) ?? []
  if (type === undefined || searched.length === 0) return
  const has = ({ values }: Row) =>
    searched.some(({ name }) =>
      String(values[name] ?? '')
        .split(' ')
        .includes(word),
    )
  const expected = oracle
    .rows(typeName)
    .filter(has)
    .map(({ id }) => id)
    .toSorted()
  const list = listName(type)
  const ask = async () => {
    const answer =
      api === 'rest'
        ? await node.rest('GET', `/${list}?search=${word}&limit=100&fields=id`)
        : await node.graphql(`{ ${list}(search: "${word}", limit: 100) { id } }`)
    const body = answered(answer, 200, `search ${word}`)
    return ((api === 'rest' ? body : (body as Record<string, unknown>)[list]) as Shown[])
      .map(({ id }) => String(id))
      .toSorted()
  }
  let found = await ask()
  for (
    const end = performance.now() + searchDelayMs;
    found.join() !== expected.join() && performance.now() < end;
    found = await ask()
  )
    await pause(20)
  assert.deepEqual(found, expected, `the search for ${word} in ${list} by ${api} of version ${node.version}`)
}

/** A second on a quiet machine; a busy one may be ten times as slow. */
const searchDelayMs = 10_000

/** The bytes of each file that a row holds by a field that the version has. */
export async function compareFiles(node: VersionNode, oracle: Oracle): Promise<void> {
  for (const [id, text] of oracle.files) {
    if (!oracle.holders(id).some((since) => since <= node.version)) continue
    assert.equal(
      answered(await node.rest('GET', `/files/${id}`), 200, `GET /files/${id} of version ${node.version}`),
      text,
    )
  }
}

/** Rows by both APIs, every word and every file. */
export async function compareAll(node: VersionNode, oracle: Oracle, words: readonly string[]): Promise<void> {
  for (const { name } of typesOf(oracle.chain, node.version)) {
    await compareRows(node, oracle, name, 'rest')
    await compareRows(node, oracle, name, 'graphql')
    for (const word of words) await compareSearch(node, oracle, name, word, 'rest')
  }
  await compareFiles(node, oracle)
}
