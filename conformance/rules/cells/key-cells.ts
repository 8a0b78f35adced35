// Cells that name a row by a unique key, for one viewer and one type: reads, lists of the row, and writes. The answer is that by the id,
// if the viewer may also read the fields of the key and the rows that they refer to; otherwise there is no such row.

import type { Resource } from '../../../packages/twain/src/model/index.ts'
import type { ApiClient } from '../../harness/open-apis.ts'
import type { ReferenceRules } from '../reference-rules.ts'
import { keyInputOf, keyPath, keysOfRow, type RowKey } from '../row-keys.ts'
import type { PlacedRow, Row } from '../rows-in-memory.ts'
import { graphqlRow, graphqlSelection, inOrder, readable, restRow } from '../visible-rows.ts'
import { askGraphql, askRest, type Cell, refusedWhole } from './cell.ts'
import { type Attempt, attemptsOf } from './write-cells.ts'

export function keyReadCells(reference: ReferenceRules, of: Resource): Cell[] {
  return reference.world
    .spots(of)
    .flatMap((spot) =>
      keysOfRow(reference, spot).flatMap((key) => [
        ...itemCells(reference, spot, key),
        ...(of.view === undefined ? listCells(reference, spot, key) : []),
      ]),
    )
}

function itemCells(reference: ReferenceRules, spot: PlacedRow, key: RowKey): Cell[] {
  const { of } = spot
  const { isSeen, isHidden } = key
  const path = `/${of.path}/${keyPath(key)}`
  const query = `query ($key: ${of.name}Key!) { one: ${of.single}By(key: $key) { ${graphqlSelection(of)} } }`
  const errors: string[] = []
  const data = { one: isSeen ? graphqlRow(reference, spot, 'one', errors) : null }
  return [
    {
      name: `GET ${path}`,
      ask: (client) => askRest(client, path),
      expected: isHidden ? 400 : isSeen ? restRow(reference, spot) : 404,
    },
    {
      name: `HEAD ${path}`,
      ask: async (client) => {
        const { status, headers } = await client.rest('HEAD', path)
        return [status, headers['content-location'] ?? null]
      },
      expected: isHidden ? [400, null] : isSeen ? [200, `/${of.path}/${encodeURIComponent(spot.row.id)}`] : [404, null],
    },
    {
      name: `${of.single}By(key: ${JSON.stringify(keyInputOf(key))})`,
      ask: async (client) => {
        const seen = await askGraphql(client, query, { key: keyInputOf(key) })
        return isHidden ? refusedWhole(seen) : seen
      },
      expected: isHidden ? 'refused' : { data, errors: errors.toSorted() },
    },
  ]
}

/** The lists of a row that a key finds. */
function listCells(reference: ReferenceRules, spot: PlacedRow, key: RowKey): Cell[] {
  const lists = [...spot.of.fields.values()].filter(({ kind }) => kind === 'many' || kind === 'links')
  return lists.flatMap((field): Cell[] => {
    if (field.kind === 'stored' || field.to.kind === 'abstract') return []
    const path = `/${spot.of.path}/${keyPath(key)}/${field.name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    const there = inOrder(reference, readable(reference, reference.world.follow(field, spot.row)), [])
    const rows = there.map((each) => restRow(reference, each))
    const isShown = key.isSeen && reference.shows(field, spot)
    return [
      {
        name: `GET ${path}`,
        ask: (client: ApiClient) => askRest(client, path),
        expected: key.isHidden ? 400 : isShown ? rows : 404,
      },
    ]
  })
}

/** The writes of a row by its id, sent by each of its keys. The key of a body is that of the request. */
export function keyAttempts(reference: ReferenceRules, of: Resource): Attempt[] {
  const attempts = attemptsOf(reference, of).filter(({ id, isInvalid }) => id !== null && isInvalid !== true)
  return reference.world.spots(of).flatMap((spot) =>
    keysOfRow(reference, spot).flatMap((by) => {
      const own = attempts.filter((attempt) => attempt.id === spot.row.id && keepsKey(attempt, by, spot.row))
      return own.map((attempt) => byKey(attempt, by))
    }),
  )
}

function keepsKey({ action, input }: Attempt, { key }: RowKey, row: Row): boolean {
  if (action === 'delete') return true
  return key.fields.every(({ name }) => !Object.hasOwn(input, name) || input[name] === row[name])
}

function byKey(attempt: Attempt, by: RowKey): Attempt {
  const parts = Object.fromEntries(by.key.fields.map(({ name }, at) => [name, by.values[at]]))
  const { id, ...rest } = attempt.input
  const sent = by.isSeen && id !== undefined ? attempt.input : rest // a new row gets its id from the server
  const input = attempt.action === 'replace' ? { ...sent, ...parts } : sent
  return { ...attempt, name: `${attempt.name} by ${keyPath(by)}`, input, by }
}
