// A random aggregate, as a request of each API.

import type { Draw } from '../generate/draw.ts'

export const measureNames = ['count', 'countDistinct', 'sum', 'avg', 'min', 'max'] as const
export type MeasureName = (typeof measureNames)[number]

export interface Measure {
  name: MeasureName
  /** Null for the count. */
  field: string | null
}

export interface Key {
  path: string
  part: TimePart | null
}

export type TimePart = (typeof timeParts)[number]
const timeParts = ['HOUR', 'DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'] as const

export interface Condition {
  measure: Measure
  op: 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte'
  /** A value that some group has, or one beside it. */
  value: string | number
}

export interface Sort {
  by: Measure | Key
  isDescending: boolean
}

export interface Filter {
  field: string
  op: 'eq' | 'gte' | 'lt'
  value: string | number
}

export interface Aggregate {
  /** The customer whose orders it is about. */
  within: string | null
  filter: Filter | null
  /** Null: all rows in one. */
  keys: Key[] | null
  timeZone: string | null
  measures: Measure[]
  having: Condition[]
  sort: Sort[]
  limit: number
  offset: number
}

const zones = [
  ...['UTC', 'Europe/Oslo', 'America/New_York', 'America/St_Johns', 'Asia/Kolkata', 'Asia/Kathmandu'],
  ...['Australia/Lord_Howe', 'Pacific/Auckland', 'Pacific/Apia', 'Africa/Cairo', 'America/Sao_Paulo', '+05:45'],
]

const numbers = ['whole', 'big', 'total', 'weight']
const ordered = [...numbers, 'code', 'placed', 'day', 'at']
const measured: Record<Exclude<MeasureName, 'count'>, readonly string[]> = {
  countDistinct: [...ordered, 'status', 'isGift', 'customer'],
  sum: numbers,
  avg: numbers,
  min: ordered,
  max: ordered,
}

const plainKeys = ['status', 'isGift', 'code', 'whole', 'total', 'at', 'customer.country', 'customer.name']

/** `valuesOf` gives values of the measure in the groups. */
export function drawAggregate(draw: Draw, valuesOf: (aggregate: Aggregate, measure: Measure) => unknown[]): Aggregate {
  const keys = draw.between(0, 5) === 0 ? null : drawKeys(draw)
  const aggregate: Aggregate = {
    within: draw.between(0, 5) === 0 ? draw.one(['c1', 'c2', 'c3', 'c4']) : null,
    filter: draw.flip() ? drawFilter(draw) : null,
    keys,
    timeZone: draw.between(0, 3) === 0 ? null : draw.one(zones),
    measures: unique(draw.many(1, 6, () => drawMeasure(draw))),
    having: [],
    sort: [],
    limit: draw.between(1, 30),
    offset: draw.between(0, 3) === 0 ? draw.between(1, 8) : 0,
  }
  if (!keys?.some(({ path, part }) => path === 'placed' && part !== null)) aggregate.timeZone = null
  if (keys === null) return { ...aggregate, limit: 1, offset: 0 }
  aggregate.having = unique(draw.many(0, 2, () => drawMeasure(draw))).flatMap((measure) =>
    drawCondition(draw, aggregate, measure, valuesOf),
  )
  const own = keys.filter(({ path }) => !path.includes('.'))
  const sorts = draw.some<Measure | Key>([...aggregate.measures, ...own], 0, 3)
  return { ...aggregate, sort: sorts.map((by) => ({ by, isDescending: draw.flip() })) }
}

function drawKeys(draw: Draw): Key[] {
  const keys: Key[] = draw.some(plainKeys, 0, 2).map((path) => ({ path, part: null }))
  if (draw.flip()) keys.push({ path: 'placed', part: draw.one([...timeParts, null]) })
  if (keys.length === 0 || draw.between(0, 3) === 0)
    keys.push({ path: 'day', part: draw.one(timeParts.filter((part) => part !== 'HOUR')) })
  return keys
}

function drawFilter(draw: Draw): Filter {
  return draw.one<Filter>([
    { field: 'status', op: 'eq', value: 'PAID' },
    { field: 'whole', op: 'gte', value: draw.between(-3, 3) },
    { field: 'total', op: 'lt', value: '250.5' },
    { field: 'placed', op: 'gte', value: '2026-03-29T01:00:00.000Z' },
    { field: 'weight', op: 'lt', value: 1e20 },
  ])
}

function drawMeasure(draw: Draw): Measure {
  const name = draw.one(measureNames)
  return { name, field: name === 'count' ? null : draw.one(measured[name]) }
}

/** None if no group has a value. */
function drawCondition(
  draw: Draw,
  aggregate: Aggregate,
  measure: Measure,
  valuesOf: (aggregate: Aggregate, measure: Measure) => unknown[],
): Condition[] {
  const values = valuesOf(aggregate, measure).filter((value) => typeof value === 'string' || Number.isFinite(value))
  if (values.length === 0) return []
  return [{ measure, op: draw.one(['eq', 'ne', 'lt', 'lte', 'gt', 'gte']), value: draw.one(values) as string | number }]
}

function unique(measures: readonly Measure[]): Measure[] {
  return [...new Map(measures.map((measure) => [restName(measure), measure])).values()]
}

// ---------------------------------------------------------------- REST

export function restPath({ within, filter, keys, timeZone, measures, having, sort, limit, offset }: Aggregate): string {
  const query: [string, string][] = [['groupBy', (keys ?? []).map(restKey).join(',')]]
  query.push(['fields', [...(keys ?? []).map(({ path }) => path), ...measures.map(restName)].join(',')])
  if (filter !== null) query.push([`${filter.field}[${filter.op}]`, String(filter.value)])
  if (timeZone !== null) query.push(['timeZone', timeZone])
  for (const { measure, op, value } of having) query.push([`${restName(measure)}[${op}]`, String(value)])
  if (sort.length > 0) {
    const names = sort.map(
      ({ by, isDescending }) => `${isDescending ? '-' : ''}${'path' in by ? by.path : restName(by)}`,
    )
    query.push(['sort', names.join(',')])
  }
  if (keys !== null) query.push(['limit', String(limit)], ['offset', String(offset)])
  const text = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  return `${within === null ? '' : `/customers/${within}`}/orders?${text}`
}

function restKey({ path, part }: Key): string {
  return part === null ? path : `${path}(${part.toLowerCase()})`
}

export function restName({ name, field }: Measure): string {
  return field === null ? `_${name}` : `_${name}.${field}`
}

// ---------------------------------------------------------------- GraphQL

export function graphqlQuery(aggregate: Aggregate): string {
  const { within, filter, keys, timeZone, having, sort, limit, offset } = aggregate
  const parts: string[] = []
  if (filter !== null) parts.push(`where: {${filter.field}: {${filter.op}: ${literal(filter.value)}}}`)
  if (keys !== null) {
    parts.push(`by: [${keys.map(({ path, part }) => nested(path.split('.'), part ?? 'VALUE')).join(', ')}]`)
    if (timeZone !== null) parts.push(`timeZone: "${timeZone}"`)
    if (having.length > 0) parts.push(`having: ${printed(conditionsOf(having))}`)
    if (sort.length > 0) parts.push(`orderBy: [${sort.map(graphqlSort).join(', ')}]`)
    parts.push(`limit: ${limit}, offset: ${offset}`)
  }
  const name = keys === null ? 'ordersAggregate' : 'ordersGroupBy'
  const field = `${name}${parts.length === 0 ? '' : `(${parts.join(', ')})`} { ${selectionOf(aggregate)} }`
  return within === null ? `{ result: ${field} }` : `{ customer(id: "${within}") { result: ${field} } }`
}

function selectionOf({ keys, measures }: Aggregate): string {
  const fields = new Map<string, string[]>()
  for (const { name, field } of measures) {
    const known = fields.get(name) ?? []
    fields.set(name, field === null ? known : [...known, field])
  }
  const selected = [...fields].map(([name, inside]) => (inside.length === 0 ? name : `${name} { ${inside.join(' ')} }`))
  return [...(keys === null ? [] : [`key { ${keySelection(keys)} }`]), ...selected].join(' ')
}

function keySelection(keys: readonly Key[]): string {
  const behind = keys.filter(({ path }) => path.includes('.')).map(({ path }) => path.split('.')[1])
  const own = keys.filter(({ path }) => !path.includes('.')).map(({ path }) => path)
  return [...own, ...(behind.length === 0 ? [] : [`customer { ${behind.join(' ')} }`])].join(' ')
}

interface Nested {
  [name: string]: Nested | string
}

function conditionsOf(having: readonly Condition[]): Nested {
  const conditions: Nested = {}
  for (const { measure, op, value } of having) {
    const path = measure.field === null ? [measure.name] : [measure.name, measure.field]
    let inside = conditions
    for (const name of path) {
      inside[name] ??= {}
      inside = inside[name] as Nested
    }
    inside[op] = literal(value)
  }
  return conditions
}

function printed(value: Nested | string): string {
  if (typeof value === 'string') return value
  return `{${Object.entries(value)
    .map(([name, inside]) => `${name}: ${printed(inside)}`)
    .join(', ')}}`
}

function graphqlSort({ by, isDescending }: Sort): string {
  const path = 'path' in by ? ['key', ...by.path.split('.')] : [by.name, ...(by.field === null ? [] : [by.field])]
  return nested(path, isDescending ? 'DESC' : 'ASC')
}

function nested(path: readonly string[], value: string): string {
  return path.reduceRight((inside, name) => `{${name}: ${inside}}`, value)
}

/** Names of enum values have no quotes. */
function literal(value: string | number): string {
  return /^[A-Z]{4}$/.test(String(value)) ? String(value) : JSON.stringify(value)
}
