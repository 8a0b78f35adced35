// GET → a BoundPlan. The planner caches one plan for each shape of request; the next request of that shape only adds its values.
// The shape: the class of viewers, the route, the names of the filters in their order, `fields`, `sort`, `distinct`, boolean operands, which
// paging parameters are present, whether a search has words, which keys of a cursor are null, and how the rows are counted, and whether
// texts are cut.
//
// Parameters have the same order as in plans from GraphQL: the id of the path, the filters in the order of the request, the page
// (limit, offset; or first, after), then the selections (see fields.ts).

import { Cache, CacheBudget } from '#base'
import type { Abstract, Resource, StoredType } from '#model'
import {
  type BoundPlan,
  type CountOptions,
  type GroupRead,
  type Limits,
  type OrderKey,
  type PageBounds,
  type PageRead,
  type PageShape,
  planBytes,
  type ReadPlan,
  type RowRead,
  type TypeSelection,
} from '#plan'
import {
  bindPlan,
  cursorShape,
  cutTypes,
  keysetPage,
  offsetPage,
  PlanBuilder,
  pageSizeOf,
  planDistinct,
  planOrder,
  planSearch,
  RequestValue,
  searchShape,
  type UnboundPlan,
  whereShape,
} from '#plan/build'
import { isDeletedParameter, readDeleted, takesDeleted } from '../request/deleted-rows.ts'
import type { PreferredCount } from '../request/headers.ts'
import { expectPossibleId, locateRow, type ParsedRequest } from '../request/parsed-request.ts'
import { expectParameters, noQuery, type ParameterName, type ParsedQuery } from '../request/query-string.ts'
import type { Route } from '../request/route.ts'
import { textToValue } from '../request/text-value.ts'
import { selectRow, selectTypes } from './fields.ts'
import { endsAtType } from './filter-path.ts'
import { planFilters } from './filters.ts'
import { planAccessRow } from './plan-access.ts'
import { planGroupsOf } from './plan-groups.ts'
import { planHistoryOf } from './plan-history.ts'

/** For one route. */
const maxViewerClassCount = 100

export class ReadPlanner {
  /** Plans of requests without a query, by route and class of viewers: they need no shape key. */
  readonly #bare = new WeakMap<Route, Map<string, UnboundPlan<RowRead>>>()
  readonly #items: Cache<string, UnboundPlan<RowRead>>
  readonly #pages: Cache<string, UnboundPlan<PageRead>>
  readonly #groups: Cache<string, UnboundPlan<GroupRead>>
  readonly #limits: Limits

  constructor(limits: Limits, budget = new CacheBudget()) {
    this.#limits = limits
    const options = { name: 'rest_plans', budget, bytes: ({ plan }: UnboundPlan<ReadPlan>) => planBytes(plan) }
    this.#items = new Cache<string, UnboundPlan<RowRead>>(options)
    this.#pages = new Cache<string, UnboundPlan<PageRead>>(options)
    this.#groups = new Cache<string, UnboundPlan<GroupRead>>(options)
  }

  item(parsed: ParsedRequest): BoundPlan<RowRead> {
    expectPossibleId(parsed)
    return parsed.query === noQuery ? this.#bareItem(parsed) : planCached(this.#items, parsed, this.#limits, planItem)
  }

  #bareItem(parsed: ParsedRequest): BoundPlan<RowRead> {
    const byClass = this.#bare.get(parsed.route) ?? new Map<string, UnboundPlan<RowRead>>()
    const cached = byClass.get(parsed.visibility.key)
    if (cached !== undefined) return bindPlan(cached, parsed)
    const fresh = planFresh(parsed, this.#limits, planItem)
    if (byClass.size < maxViewerClassCount) byClass.set(parsed.visibility.key, fresh)
    this.#bare.set(parsed.route, byClass)
    return bindPlan(fresh, parsed)
  }

  history(parsed: ParsedRequest): BoundPlan<RowRead> {
    expectPossibleId(parsed)
    return planCached(this.#items, parsed, this.#limits, planHistoryOf)
  }

  /** The row whose rights a path asks for. */
  access(parsed: ParsedRequest): BoundPlan<RowRead> {
    expectPossibleId(parsed)
    return planCached(this.#items, parsed, this.#limits, planAccessRow)
  }

  /** The delivery whose message a path asks for. */
  message(parsed: ParsedRequest): BoundPlan<RowRead> {
    expectPossibleId(parsed)
    return planCached(this.#items, parsed, this.#limits, planMessageRow)
  }

  /** The row whose list or export a path with a key names: the result has its id. */
  owner(parsed: ParsedRequest): BoundPlan<RowRead> {
    return planCached(this.#items, { ...parsed, query: noQuery }, this.#limits, planOwner)
  }

  page(parsed: ParsedRequest): BoundPlan<PageRead> {
    if (parsed.route.kind === 'nested') expectPossibleId(parsed)
    return planCached(this.#pages, parsed, this.#limits, planPage)
  }

  groups(parsed: ParsedRequest): BoundPlan<GroupRead> {
    if (parsed.route.kind === 'nested') expectPossibleId(parsed)
    return planCached(this.#groups, parsed, this.#limits, planGroupsOf)
  }
}

function planCached<P extends ReadPlan>(
  cached: Cache<string, UnboundPlan<P>>,
  parsed: ParsedRequest,
  limits: Limits,
  planShape: (parsed: ParsedRequest, builder: PlanBuilder) => P,
): BoundPlan<P> {
  const key = shapeOf(parsed)
  const before = parsed.query.problems.length === 0 ? cached.get(key) : undefined
  if (before !== undefined) return bindPlan(before, parsed)
  const fresh = planFresh(parsed, limits, planShape)
  cached.set(key, fresh)
  return bindPlan(fresh, parsed)
}

/** Throws one ApiError with every problem of the request. */
function planFresh<P extends ReadPlan>(
  parsed: ParsedRequest,
  limits: Limits,
  planShape: (parsed: ParsedRequest, builder: PlanBuilder) => P,
): UnboundPlan<P> {
  const builder = new PlanBuilder(parsed.visibility)
  builder.problems.push(...parsed.query.problems)
  const plan = planShape(parsed, builder)
  builder.finish(limits)
  return { plan, ...builder.unbound() }
}

/** Unique for each shape: filter keys contain no `&` (query-string.ts), and texts are quoted. */
function shapeOf(parsed: ParsedRequest): string {
  const { visibility, route, count, cut } = parsed
  const { parameters, filters } = parsed.query
  let key = `${visibility.key}\n${route.key}`
  for (const filter of filters) {
    key += filter.isRepeated === true ? `&!${filter.key}` : `&${filter.key}`
    if (filter.key === 'where') key += whereShape(filter.json, route.of)
    else if (
      filter.op === 'isNull' ||
      filter.op === 'exists' ||
      filter.text === 'null' ||
      filter.path.endsWith('isViewer') ||
      (isDeletedParameter(filter) && takesDeleted(parsed)) ||
      endsAtType(filter, route.of)
    ) {
      key += `=${JSON.stringify(filter.text)}`
    }
  }
  if (parameters.fields !== undefined) key += `&fields=${JSON.stringify(parameters.fields)}`
  if (parameters.sort !== undefined) key += `&sort=${JSON.stringify(parameters.sort)}`
  if (parameters.distinct !== undefined) key += `&distinct=${JSON.stringify(parameters.distinct)}`
  if (parameters.limit !== undefined) key += '&limit'
  if (parameters.offset !== undefined) key += '&offset'
  if (parameters.first !== undefined) key += '&first'
  if (parameters.after !== undefined) key += `&after=${cursorShape(parameters.after)}`
  if (parameters.search !== undefined) key += `&search${searchShape(parameters.search)}`
  if (parameters.groupBy !== undefined) key += `&groupBy=${JSON.stringify(parameters.groupBy)}`
  if (parameters.timeZone !== undefined) key += '&timeZone'
  if (count !== undefined) key += `&count=${count}`
  if (cut !== undefined) key += '&cut'
  return key
}

function planItem(parsed: ParsedRequest, builder: PlanBuilder): RowRead {
  const { route, query } = parsed
  if (route.kind !== 'item') throw new Error(`a ${route.kind} is not one row`)
  const locator = locateRow(parsed, route.of, builder)
  expectParameters(query, ['fields'], builder)
  return { kind: 'one', of: route.of, ...locator, selections: selectRow(route.of, query.parameters.fields, builder) }
}

function planOwner(parsed: ParsedRequest, builder: PlanBuilder): RowRead {
  const { route } = parsed
  if (route.kind !== 'nested' && route.kind !== 'export') throw new Error(`a ${route.kind} is no list of a row`)
  const owner = route.kind === 'nested' ? route.field.owner : route.of
  return { kind: 'one', of: owner, ...locateRow(parsed, owner, builder), selections: [] }
}

function planMessageRow(parsed: ParsedRequest, builder: PlanBuilder): RowRead {
  const { route, query } = parsed
  if (route.kind !== 'message') throw new Error(`a ${route.kind} has no message`)
  expectParameters(query, [], builder)
  return { kind: 'one', of: route.of, ...locateRow(parsed, route.of, builder), selections: [] }
}

function planPage(parsed: ParsedRequest, builder: PlanBuilder): PageRead {
  const { route, query } = parsed
  const { of } = route
  const within =
    route.kind === 'nested' ? { field: route.field, ...locateRow(parsed, route.field.owner, builder) } : null
  const { deleted, filters } = readDeleted(parsed, builder)
  const filter = planFilters(query.filters, of, builder, filters)
  const where = planSearch(searchLeaf(query.parameters.search), filter, of, builder, 'search')
  const order = planOrder(sortKeys(query.parameters.sort, of, builder), of, builder)
  const distinct = planDistinct(query.parameters.distinct?.split(','), of, builder, 'distinct')
  const page = planPaging(query, of, order, builder)
  const whole = selectTypes(of, query.parameters.fields, builder)
  const cases = parsed.cut === undefined ? whole : cutTypes(whole, cutLeaf(parsed.cut), builder)
  const shape = page.kind === 'offset' ? list(cases, parsed.count) : connection(cases, parsed.count)
  return { kind: 'many', of, within, ...(deleted && { deleted }), where, order, ...distinct, page, shape }
}

function cutLeaf(length: number): unknown {
  return new RequestValue(length, (parsed: ParsedRequest) => parsed.cut)
}

function searchLeaf(text: string | undefined): unknown {
  return text === undefined
    ? undefined
    : new RequestValue(text, (parsed: ParsedRequest) => parsed.query.parameters.search)
}

function list(types: TypeSelection[], count: PreferredCount | undefined): PageShape {
  return count === undefined ? { kind: 'list', types } : { kind: 'list', types, total: true, ...countOptions(count) }
}

function countOptions(count: PreferredCount): CountOptions {
  return count === 'estimated' ? { isEstimated: true } : {}
}

/** `totalCount` is first and `pageInfo` last: representPage finds them at the ends of the text. */
function connection(types: TypeSelection[], count: PreferredCount | undefined): PageShape {
  return {
    kind: 'connection',
    selections: [
      ...(count === undefined ? [] : [{ kind: 'totalCount', key: 'totalCount', ...countOptions(count) } as const]),
      {
        kind: 'edges',
        key: 'edges',
        selections: [
          { kind: 'node', key: 'node', types },
          { kind: 'cursor', key: 'cursor' },
        ],
      },
      {
        kind: 'pageInfo',
        key: 'pageInfo',
        selections: [
          { kind: 'hasNextPage', key: 'hasNextPage' },
          { kind: 'endCursor', key: 'endCursor' },
        ],
      },
    ],
  }
}

export function sortKeys(
  sort: string | undefined,
  of: Resource | Abstract,
  builder: PlanBuilder,
): { field: string; direction: string; place: string }[] {
  if (sort === undefined) return []
  return sort.split(',').flatMap((key) => {
    const field = key.startsWith('-') ? key.slice(1) : key
    if (/^\w+(\.\w+)*$/.test(field) && !endsWithDirection(field, of))
      return [{ field, direction: key.startsWith('-') ? 'DESC' : 'ASC', place: 'sort' }]
    builder.problem('sort', 'UNKNOWN', sortAdvice(key))
    return []
  })
}

/** `title.desc`. But `author.desc` may be a field of the author. */
function endsWithDirection(path: string, of: Resource | Abstract): boolean {
  return /^\w+\.(asc|desc)$/i.test(path) && of.fields.get(path.split('.')[0]!)?.kind === 'stored'
}

/** Corrects the syntax of other APIs: `title:desc`. */
function sortAdvice(key: string): string {
  const [, name, direction] = /^(\w[\w.]*)[:. +](asc|desc)$/i.exec(key) ?? []
  if (name !== undefined) return `"${key}" is written as ${direction!.toLowerCase() === 'desc' ? '-' : ''}${name}.`
  if (key === '') return 'has an empty name; write sort=-createdAt,title.'
  return `"${key}" is not the name of a field; write sort=-createdAt,title.`
}

function planPaging(query: ParsedQuery, of: Resource | Abstract, order: OrderKey[], builder: PlanBuilder): PageBounds {
  const { parameters } = query
  const offset = parameters.limit ?? parameters.offset
  const cursor = parameters.first ?? parameters.after
  if (offset !== undefined && cursor !== undefined) {
    const place = parameters.first === undefined ? 'after' : 'first'
    builder.problem(place, 'UNKNOWN', 'is for cursor pages, limit and offset are for offset pages; use one of the two.')
  }
  if (cursor === undefined) {
    const places = { limit: 'limit', offset: 'offset' }
    return offsetPage(count('limit', pageSizeOf(of)), count('offset', 0), builder, places, of)
  }
  const after =
    parameters.after === undefined
      ? null
      : new RequestValue(parameters.after, (parsed: ParsedRequest) => parsed.query.parameters.after)
  return keysetPage(count('first', pageSizeOf(of)), after, of, order, builder, { first: 'first', after: 'after' })

  function count(name: ParameterName, fallback: number): unknown {
    const read = (parsed: Pick<ParsedRequest, 'query'>) => textToValue(intType, parsed.query.parameters[name] ?? '')
    return parameters[name] === undefined ? fallback : new RequestValue(read({ query }), read)
  }
}

const intType: StoredType = { kind: 'scalar', name: 'Int' }
