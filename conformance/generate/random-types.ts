// Chooses random fields of single types over the interface: of its collection, and of a reference and a list of each type.

import assert from 'node:assert/strict'
import { type ApiClient, graphqlData, restBody } from '../harness/open-apis.ts'
import type { Draw } from './draw.ts'
import type { Oracle, Row, TypeSketch } from './oracle.ts'

/** The chosen fields of each type, by its name. */
type Chosen = Map<string, string[]>

export async function compareRandomTypes(draw: Draw, apis: ApiClient, oracle: Oracle): Promise<void> {
  const { common, types } = oracle.sketch
  if (common === null) return
  const chosen: Chosen = new Map(types.map((type) => [type.name, drawFields(draw, type)]))
  const rows = oracle.find(common.name, null, [])
  await compare(apis, chosen, common.list, '', rows, (row) => shown(oracle, chosen, row))
  for (const { name, list, fields } of types) {
    for (const field of fields) {
      if (!('to' in field) || field.to !== common.name) continue
      const below = (row: Row): unknown => {
        if (field.kind === 'reference') {
          const id = row[field.name] as string | null
          return id === null ? null : shown(oracle, chosen, oracle.row(common.name, id)!)
        }
        return oracle.below(name, row, field.name, null, []).map((one) => shown(oracle, chosen, one))
      }
      await compare(apis, chosen, list, field.name, oracle.find(name, null, []), below)
    }
  }
}

function drawFields(draw: Draw, { fields }: TypeSketch): string[] {
  const leaves = fields.filter(({ kind }) => kind === 'scalar' || kind === 'list').map(({ name }) => name)
  return draw.some(['id', ...leaves], 0, 3)
}

function shown(oracle: Oracle, chosen: Chosen, row: Row): Record<string, unknown> {
  const type = oracle.typeOf(row.id)
  return { _type: type, ...Object.fromEntries(chosen.get(type)!.map((name) => [name, row[name]])) }
}

/** `field`: empty for the rows of the list themselves. */
async function compare(
  apis: ApiClient,
  chosen: Chosen,
  list: string,
  field: string,
  rows: readonly Row[],
  below: (row: Row) => unknown,
): Promise<void> {
  const prefix = field === '' ? '' : `${field}.`
  const fields = [
    `${prefix}_type`,
    ...[...chosen].flatMap(([type, names]) => names.map((name) => `${field}:${type}.${name}`)),
  ].join(',')
  const expected = rows.map((row) => (field === '' ? below(row) : { [field]: below(row) }))
  const rest = await restBody(apis, 'GET', `/${list}?limit=100&fields=${fields}`)
  assert.deepEqual(rest, expected, `REST: /${list}?fields=${fields}`)

  // A field of two types may have two types in GraphQL: a key for each.
  const parts = [...chosen].map(([type, names]) => {
    return `... on ${type} { __typename ${names.map((name) => `${type}_${name}: ${name}`).join(' ')} }`
  })
  const inside = `_type: __typename ${parts.join(' ')}`
  const document = `{ rows: ${list}(limit: 100) { ${field === '' ? inside : `${field} { ${inside} }`} } }`
  const data = await graphqlData(apis, document, {})
  assert.deepEqual(withoutTypes(data.rows), expected, `GraphQL: ${document}`)
}

function withoutTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTypes)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([key]) => key !== '__typename')
  const isRow = Object.hasOwn(value, '_type')
  return Object.fromEntries(
    members.map(([key, member]) => [
      isRow ? key.replace(/^[A-Z]\w*?_/, '') : key,
      isRow ? member : withoutTypes(member),
    ]),
  )
}
