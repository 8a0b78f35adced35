// Cells that group rows, for one viewer and one type: by each field, and by fields behind references. Groups are made of readable
// rows; a value that is unreadable on a row counts as null there, in keys and measures; a field that the viewer can never read is
// unknown.

import { type Field, isGroupable, type Resource } from '../../../packages/twain/src/model/index.ts'
import { compareNullsLast } from '../../generate/oracle-values.ts'
import type { ApiClient } from '../../harness/open-apis.ts'
import { orderOf } from '../apply-filter.ts'
import type { ReferenceRules } from '../reference-rules.ts'
import type { PlacedRow } from '../rows-in-memory.ts'
import { readable } from '../visible-rows.ts'
import { askGraphql, askRest, type Cell } from './cell.ts'

export function groupCells(reference: ReferenceRules, of: Resource): Cell[] {
  const paths = [...of.fields.values()].flatMap(pathsFrom)
  return [
    ...paths.flatMap((path) => keyCells(reference, of, path)),
    ...countCells(reference, of, paths),
    ...distinctCells(reference, of, paths),
  ]
}

/** The field itself, or the fields behind a reference. */
function pathsFrom(field: Field): Field[][] {
  if (isGroupable(field)) return [[field]]
  if (field.kind !== 'reference' || field.to.kind === 'abstract') return []
  return [...field.to.fields.values()].filter(isGroupable).map((inner) => [field, inner])
}

/** Groups by the path: how many rows, and how many different values of it (one, or none for the null group). */
function keyCells(reference: ReferenceRules, of: Resource, path: Field[]): Cell[] {
  const rows = readable(reference, reference.world.spots(of))
  const isHidden = path.some((field) => !reference.couldField('READ', field))
  const names = path.map(({ name }) => name)
  const groups = groupsOf(
    rows.map((spot) => seenAt(reference, spot, path)),
    path.at(-1)!,
  )
  const shown = groups.map(({ value, count }) => ({
    key: names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value),
    count,
  }))
  const large = shown.filter(({ count }) => count > 1)
  const by = names.reduceRight((inner, name) => `{${name}: ${inner}}`, 'VALUE')
  const selected = names.reduceRight((inner, name) => `{ ${name} ${inner} }`, '')
  const query = `{ all: ${of.list}GroupBy(by: [${by}], limit: 1000) { key ${selected} count }
    large: ${of.list}GroupBy(by: [${by}], having: {count: {gt: 1}}, limit: 1000) { key ${selected} count } }`
  const url = `/${of.path}?groupBy=${names.join('.')}&limit=1000`
  return [
    { name: `GET ${url}`, ask: (client: ApiClient) => askRest(client, url), expected: isHidden ? 400 : shown },
    {
      name: `GET ${url}&_count[gt]=1`,
      ask: (client: ApiClient) => askRest(client, `${url}&_count[gt]=1`),
      expected: isHidden ? 400 : large,
    },
    {
      name: query,
      ask: async (client: ApiClient) => {
        const seen = await askGraphql(client, query)
        return isHidden && Array.isArray(seen) ? 'refused' : seen
      },
      expected: isHidden ? 'refused' : { data: { all: shown, large }, errors: [] },
    },
  ]
}

/** All rows in one: how many different values of each field there are for this viewer. */
function countCells(reference: ReferenceRules, of: Resource, paths: Field[][]): Cell[] {
  const rows = readable(reference, reference.world.spots(of))
  const own = paths.filter((path) => path.length === 1).map(([field]) => field!)
  return own.map((field) => {
    const isHidden = !reference.couldField('READ', field)
    const values = rows.map((spot) => seenAt(reference, spot, [field])).filter((value) => value !== null)
    const path = `/${of.path}?groupBy=&fields=_count,_countDistinct.${field.name}`
    const expected = { count: rows.length, countDistinct: { [field.name]: new Set(values.map(String)).size } }
    return { name: `GET ${path}`, ask: (client) => askRest(client, path), expected: isHidden ? 400 : expected }
  })
}

/** The first row, by the id, of each value of a field that the viewer can read: no hidden row stands for others. */
function distinctCells(reference: ReferenceRules, of: Resource, paths: Field[][]): Cell[] {
  const rows = readable(reference, reference.world.spots(of)).toSorted((a, b) => (a.row.id < b.row.id ? -1 : 1))
  const own = paths.filter((path) => path.length === 1).map(([field]) => field!)
  return own.flatMap((field): Cell[] => {
    const isHidden = !reference.couldField('READ', field)
    const seen = new Set<string>()
    const first = rows.filter((spot) => {
      const value = String(seenAt(reference, spot, [field]))
      return !seen.has(value) && seen.add(value)
    })
    const ids = first.map(({ row }) => ({ id: row.id }))
    const path = `/${of.path}?distinct=${field.name}&fields=id&limit=100`
    const query = `{ found: ${of.list}(distinct: [${field.name}], limit: 100) { id } }`
    return [
      { name: `GET ${path}`, ask: (client) => askRest(client, path), expected: isHidden ? 400 : ids },
      {
        name: query,
        ask: async (client) => {
          const answer = await askGraphql(client, query)
          return isHidden && Array.isArray(answer) ? 'refused' : answer
        },
        expected: isHidden ? 'refused' : { data: { found: ids }, errors: [] },
      },
    ]
  })
}

/** Null where the value, or a row on the way to it, can't be read. */
function seenAt(reference: ReferenceRules, spot: PlacedRow, [field, ...rest]: Field[]): unknown {
  if (field === undefined || !reference.shows(field, spot)) return null
  if (rest.length === 0) return spot.row[field.name] ?? null
  const [there] = readable(reference, reference.world.follow(field, spot.row))
  return there === undefined ? null : seenAt(reference, there, rest)
}

function groupsOf(values: unknown[], field: Field): { value: unknown; count: number }[] {
  const groups = new Map<string, { value: unknown; count: number }>()
  for (const value of values) {
    const key = JSON.stringify(value)
    const group = groups.get(key) ?? { value, count: 0 }
    group.count++
    groups.set(key, group)
  }
  const kind = field.kind === 'stored' ? orderOf(field.type) : 'ID'
  return [...groups.values()].toSorted((a, b) => compareNullsLast(kind, a.value, b.value, 'ASC'))
}
