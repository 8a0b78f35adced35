// `aggregate` and `groupBy` of custom code: their types, and their arguments → GroupRead. The arguments are those of GraphQL; `select`
// takes the place of the selection.

import { isRecord } from '#base'
import { fieldMeasureNames, hasAggregates, type Resource } from '#model'
import type { GroupRead } from '#plan'
import {
  jsonWhere,
  type PlanBuilder,
  planGroups,
  planSearch,
  planWhere,
  type RequestedGroupSelection,
  type RequestedKey,
  RequestValue,
  readGroupKeys,
  readGroupOrder,
  readHaving,
  whereShape,
} from '#plan/build'

type Direction = 'ASC' | 'DESC'

/** What the aggregates of a type have: `twain types` generates it. */
export interface GroupTypes {
  /** `{ count: number; sum: { total: string | null } }`. */
  measures: object
  /** What rows can be grouped by, and what it holds: `{ status: string | null }`. */
  key: object
  /** One key: `{ status: 'VALUE' } | { placedAt: 'MONTH' }`. */
  by: object
}

type AnyMeasured = Readonly<Record<string, string | number | null>>

export interface AnyGroupTypes {
  measures: {
    count: number
    countDistinct: Readonly<Record<string, number>>
    sum: AnyMeasured
    avg: AnyMeasured
    min: AnyMeasured
    max: AnyMeasured
  }
  // biome-ignore lint/suspicious/noExplicitAny: without generated types nothing is known of the keys
  key: any
  by: object
}

/** `{ count: true, sum: { total: true } }`. */
export type MeasureSelect<Measures> = {
  readonly [Name in keyof Measures]?: Measures[Name] extends number
    ? true
    : { readonly [Field in keyof Measures[Name]]?: true }
}

/** The measures that are selected, and no others. `never`: none are named, so the count is. */
export type SelectedMeasures<Measures, Select> = [Select] extends [never]
  ? Pick<Measures, keyof Measures & 'count'>
  : Chosen<Measures, Select>

type Chosen<Measures, Select> = {
  [Name in keyof Select & keyof Measures]: Select[Name] extends true
    ? Measures[Name]
    : { [Field in keyof Select[Name] & keyof Measures[Name]]: Measures[Name][Field] }
}

/** The keys that the rows are grouped by, and no others. */
export type SelectedKey<By, Key> = Intersected<By extends unknown ? OneKey<By, Key> : never>

type OneKey<By, Key> = {
  [Name in keyof By & keyof Key]: By[Name] extends string ? Key[Name] : SelectedKey<By[Name], NonNullable<Key[Name]>>
}

// A union in the place of an argument is inferred as the intersection of its members.
type Intersected<Union> = (Union extends unknown ? (member: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/** Conditions on a measure. All must hold. */
interface MeasureFilter<Value> {
  eq?: Value
  ne?: Value
  lt?: Value
  lte?: Value
  gt?: Value
  gte?: Value
  /** The least and the greatest value, both included. */
  between?: readonly [Value, Value]
  isNull?: boolean
}

type Having<Measures> = {
  readonly [Name in keyof Measures]?: Measures[Name] extends number
    ? MeasureFilter<number>
    : { readonly [Field in keyof Measures[Name]]?: MeasureFilter<NonNullable<Measures[Name][Field]>> }
}

/** One sort key: a measure, or a key of the groups. */
type GroupOrderBy<Measures, Order> =
  | { readonly [Name in keyof Measures]?: Measures[Name] extends number ? Direction : FieldOrder<Measures[Name]> }
  | { readonly key: Order }

type FieldOrder<Fields> = { readonly [Field in keyof Fields]?: Direction }

export interface AggregateArguments<Where = object, Select = object> {
  where?: Where
  search?: string
  /** Default: `{ count: true }`. */
  select?: Select
}

export interface GroupArguments<Where, Order, Groups extends GroupTypes, By, Select>
  extends AggregateArguments<Where, Select> {
  /** What the rows of a group have in common: at most 5 keys. */
  by: readonly By[]
  /** Of the parts of times; default: UTC. */
  timeZone?: string
  having?: Having<Groups['measures']>
  orderBy?: readonly GroupOrderBy<Groups['measures'], Order>[]
  /** At most 1000; default: 20. */
  limit?: number
  offset?: number
}

/** As they come from custom code, which may be JavaScript. */
export interface AnyGroupArguments extends AggregateArguments {
  by?: unknown
  timeZone?: string
  having?: unknown
  orderBy?: unknown
  limit?: number
  offset?: number
}

/** Equal for all calls that one plan serves. */
export function groupShape(args: AnyGroupArguments, of: Resource): string {
  const { where = null, by = null, having = null, orderBy = null, select = null } = args
  const given = ['search', 'timeZone', 'limit', 'offset'].map((name) => args[name as 'limit'] !== undefined)
  const conditions = JSON.stringify(having, (name, value) => (isLeafValue(name, value) ? '?' : value))
  return JSON.stringify([whereShape(where, of), by, conditions, orderBy, select, given])
}

/** The value of a condition. `isNull` and null are part of the shape. */
function isLeafValue(name: string, value: unknown): boolean {
  return value !== undefined && value !== null && name !== 'isNull' && !isRecord(value)
}

/** `isOne`: all rows are one group. */
export function planCodeGroups(args: AnyGroupArguments, isOne: boolean, of: Resource, builder: PlanBuilder): GroupRead {
  if (!hasAggregates(of))
    builder.problem('', 'UNKNOWN', `${of.name} is a type of the server itself and has no aggregates.`)
  const tree = args.where === undefined ? undefined : jsonWhere(args.where, of, (next: AnyGroupArguments) => next.where)
  const filter = planWhere(tree, of, builder, 'where')
  const where = planSearch(leaf('search'), filter, of, builder, 'search')
  const by = isOne ? null : readGroupKeys(args.by, builder, 'by')
  const requested = {
    where,
    by,
    timeZone: leaf('timeZone'),
    having: readHaving(havingTree(args.having), 'having'),
    orderBy: readGroupOrder(args.orderBy, builder, 'orderBy'),
    limit: leaf('limit'),
    offset: leaf('offset'),
    selections: [...keySelections(by ?? []), ...measureSelections(args.select ?? { count: true }, builder)],
    places: { by: 'by', timeZone: 'timeZone', having: 'having', limit: 'limit', offset: 'offset' },
  }
  return { ...planGroups(requested, of, builder), within: null }

  function leaf(name: 'search' | 'timeZone' | 'limit' | 'offset'): unknown {
    const value = args[name]
    return value === undefined ? undefined : new RequestValue(value, (next: AnyGroupArguments) => next[name])
  }
}

/** The values of conditions as RequestValues. */
function havingTree(having: unknown, path: readonly string[] = []): unknown {
  if (!isRecord(having)) return having
  return Object.fromEntries(
    Object.entries(having).map(([name, value]) => {
      const inner = [...path, name]
      if (!isLeafValue(name, value)) return [name, havingTree(value, inner)]
      return [name, new RequestValue(value, (next: AnyGroupArguments) => valueAt(next.having, inner))]
    }),
  )
}

function valueAt(tree: unknown, path: readonly string[]): unknown {
  return path.reduce((at, name) => (at as Record<string, unknown>)[name], tree)
}

/** `{ key: { status, customer: { country } } }`: all keys, as objects inside each other. */
function keySelections(by: readonly RequestedKey[]): RequestedGroupSelection[] {
  return by.length === 0
    ? []
    : [
        {
          kind: 'object',
          key: 'key',
          selections: below(
            by.map(({ path }) => path),
            [],
          ),
        },
      ]
}

function below(paths: readonly (readonly string[])[], prefix: readonly string[]): RequestedGroupSelection[] {
  const names = [...new Set(paths.map(([name]) => name!))]
  return names.map((name): RequestedGroupSelection => {
    const path = [...prefix, name]
    const deeper = paths.filter((one) => one[0] === name && one.length > 1).map((one) => one.slice(1))
    if (deeper.length === 0) return { kind: 'key', key: name, path, place: 'by' }
    return { kind: 'object', key: name, selections: below(deeper, path) }
  })
}

function measureSelections(select: unknown, builder: PlanBuilder): RequestedGroupSelection[] {
  const chosen = isRecord(select) ? Object.entries(select).filter(([, value]) => isChosen(value)) : []
  if (chosen.length === 0) builder.problem('select', 'REQUIRED', 'must name a measure, such as { count: true }.')
  return chosen.map(([name, value]): RequestedGroupSelection => {
    const place = `select.${name}`
    if (name === 'count') return { kind: 'measure', key: name, measure: name, path: [], place }
    const fields = isRecord(value) ? Object.entries(value).filter(([, inner]) => isChosen(inner)) : []
    if (fields.length === 0)
      builder.problem(
        place,
        'REQUIRED',
        `must name a field, such as { ${name}: { total: true } }; there are ${fieldMeasureNames.join(', ')}.`,
      )
    const selections = fields.map(([field]): RequestedGroupSelection => {
      return { kind: 'measure', key: field, measure: name, path: [field], place: `${place}.${field}` }
    })
    return { kind: 'object', key: name, selections }
  })
}

function isChosen(value: unknown): boolean {
  return value !== undefined && value !== false
}
