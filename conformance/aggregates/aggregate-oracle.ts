// What an aggregate must return, in plain JavaScript: exact fractions, and local times from the fields that Intl prints.

import { localKey } from '../../packages/twain/src/store/sql/aggregates/local-key.fixture.ts'
import { compareTexts } from '../generate/oracle-values.ts'
import { add, compareRatios, nearestDouble, type Ratio, ratioOf, roundedText } from './exact-ratio.ts'
import { customers, type OrderRow } from './order-rows.ts'
import type { Aggregate, Condition, Filter, Key, Measure } from './random-aggregate.ts'

interface Group {
  keys: (KeyValue | null)[]
  rows: OrderRow[]
}

interface KeyValue {
  json: unknown
  /** Numbers sort by their ratio, all else as text. */
  order: Ratio | string
}

/** The result; null where a selected sum of Floats is beyond a double. */
export function expectedResult(aggregate: Aggregate, rows: readonly OrderRow[]): unknown {
  const groups = pageOf(aggregate, rows)
  const results = groups.map((group) => resultOf(group, aggregate))
  if (JSON.stringify(results, (_, value) => (isBeyond(value) ? outOfRange : value)).includes(outOfRange)) return null
  return aggregate.keys === null ? results[0] : results
}

const outOfRange = 'out of range'

function isBeyond(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value)
}

/** The values of a measure in all groups, as HAVING could name them. */
export function valuesOf(aggregate: Aggregate, measure: Measure, rows: readonly OrderRow[]): unknown[] {
  return groupsOf(aggregate, rows).map((group) => measureJson(group.rows, measure))
}

function pageOf(aggregate: Aggregate, rows: readonly OrderRow[]): Group[] {
  const all = groupsOf(aggregate, rows)
  if (aggregate.keys === null) return all
  const passed = all.filter((group) => aggregate.having.every((condition) => passes(group, condition)))
  passed.sort((a, b) => compareGroups(a, b, aggregate))
  return passed.slice(aggregate.offset, aggregate.offset + aggregate.limit)
}

function groupsOf({ within, filter, keys, timeZone }: Aggregate, rows: readonly OrderRow[]): Group[] {
  const chosen = rows.filter((row) => (within === null || row.customer === within) && isChosen(row, filter))
  if (keys === null) return [{ keys: [], rows: chosen }]
  const groups = new Map<string, Group>()
  for (const row of chosen) {
    const values = keys.map((key) => keyOf(row, key, timeZone ?? 'UTC'))
    const name = JSON.stringify(values.map((value) => value?.json ?? null))
    const group = groups.get(name)
    if (group === undefined) groups.set(name, { keys: values, rows: [row] })
    else group.rows.push(row)
  }
  return [...groups.values()]
}

function isChosen(row: OrderRow, filter: Filter | null): boolean {
  if (filter === null) return true
  const value = row[filter.field as keyof OrderRow]
  if (value === null) return false
  if (filter.op === 'eq') return value === filter.value
  const difference = isNumeric(filter.field)
    ? compareRatios(ratioOf(value as string), ratioOf(filter.value))
    : compareTexts(String(value), String(filter.value))
  return filter.op === 'lt' ? difference < 0 : difference >= 0
}

function isNumeric(field: string): boolean {
  return ['whole', 'big', 'total', 'weight'].includes(field)
}

function keyOf(row: OrderRow, { path, part }: Key, timeZone: string): KeyValue | null {
  const value = valueAt(row, path)
  if (value === null) return null
  if (part !== null) {
    const moment = path === 'day' ? `${value}T00:00:00.000Z` : String(value)
    const json = localKey(moment, part, path === 'day' ? 'UTC' : timeZone)
    return { json, order: part === 'HOUR' ? new Date(json).toISOString() : json }
  }
  return { json: value, order: isNumeric(path) ? ratioOf(value as string) : String(value) }
}

function valueAt(row: OrderRow, path: string): unknown {
  if (path === 'customer.country') return row.customer === null ? null : customers[row.customer]
  if (path === 'customer.name') return row.customer === null ? null : `name of ${row.customer}`
  return row[path as keyof OrderRow]
}

// ---------------------------------------------------------------- measures

/** The exact value of a measure: a number, a text, or null. */
function measure(rows: readonly OrderRow[], { name, field }: Measure): Ratio | string | null {
  if (name === 'count') return ratioOf(rows.length)
  const values = rows.map((row) => row[field as keyof OrderRow]).filter((value) => value !== null)
  if (name === 'countDistinct') return ratioOf(new Set(values).size)
  if (values.length === 0) return null
  if (!isNumeric(field!)) {
    const texts = values.map(String).sort(compareTexts)
    return name === 'min' ? texts[0]! : texts.at(-1)!
  }
  const numbers = values.map((value) => ratioOf(value as string | number))
  if (name === 'min' || name === 'max') {
    const sorted = numbers.toSorted(compareRatios)
    return name === 'min' ? sorted[0]! : sorted.at(-1)!
  }
  const sum = numbers.reduce(add)
  return name === 'sum' ? sum : { above: sum.above, below: sum.below * BigInt(values.length) }
}

/** As the APIs write it. */
function measureJson(rows: readonly OrderRow[], of: Measure): unknown {
  const value = measure(rows, of)
  if (value === null || typeof value === 'string') return value
  const { name, field } = of
  if (name === 'count' || name === 'countDistinct') return Number(value.above)
  if (field === 'weight') return nearestDouble(value)
  const isInt = field === 'whole' && (name === 'min' || name === 'max')
  const text = roundedText(value, name === 'avg' ? 20 : 60)
  return isInt ? Number(text) : text
}

function resultOf({ keys, rows }: Group, aggregate: Aggregate): unknown {
  const result: Record<string, unknown> = {}
  if (aggregate.keys !== null) {
    const key: Record<string, unknown> = {}
    for (const [index, { path }] of aggregate.keys.entries()) put(key, path.split('.'), keys[index]?.json ?? null)
    result.key = key
  }
  for (const one of aggregate.measures)
    put(result, one.field === null ? [one.name] : [one.name, one.field], measureJson(rows, one))
  return result
}

function put(object: Record<string, unknown>, [name, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) object[name!] = value
  else {
    object[name!] ??= {}
    put(object[name!] as Record<string, unknown>, rest, value)
  }
}

// ---------------------------------------------------------------- conditions and order

function passes({ rows }: Group, { measure: of, op, value }: Condition): boolean {
  const actual = measure(rows, of)
  if (actual === null) return op === 'ne'
  const difference =
    typeof actual === 'string' ? compareTexts(actual, String(value)) : compareRatios(actual, ratioOf(value as string))
  switch (op) {
    case 'eq':
      return difference === 0
    case 'ne':
      return difference !== 0
    case 'lt':
      return difference < 0
    case 'lte':
      return difference <= 0
    case 'gt':
      return difference > 0
    case 'gte':
      return difference >= 0
  }
}

/** What the request names, then the keys. Nulls are last in both directions. */
function compareGroups(a: Group, b: Group, { sort, keys }: Aggregate): number {
  for (const { by, isDescending } of sort) {
    const [left, right] = [a, b].map((group) =>
      'path' in by ? (group.keys[keys!.indexOf(by)]?.order ?? null) : measure(group.rows, by),
    )
    const difference = compareValues(left!, right!, isDescending)
    if (difference !== 0) return difference
  }
  for (const [index] of keys!.entries()) {
    const difference = compareValues(a.keys[index]?.order ?? null, b.keys[index]?.order ?? null, false)
    if (difference !== 0) return difference
  }
  return 0
}

function compareValues(a: Ratio | string | null, b: Ratio | string | null, isDescending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  const difference = typeof a === 'string' ? compareTexts(a, b as string) : compareRatios(a, b as Ratio)
  return isDescending ? -difference : difference
}
