// GET → a Question. The plan of a request's shape is made once and kept; the next request of that shape only brings its
// values. What makes a shape: the class of viewers, the route, the filters' names in their order, `fields`, `sort`, flags, which of the paging
// words are there, whether a search has words, and which keys of a cursor are null.
//
// Slots are numbered as the GraphQL door numbers them: the id of the path, the filters in the order of the request, the
// page (limit, offset; or first, after), then the picks (see fields.ts).

import { Cache, cacheGauges, type Gauge } from '#base'
import type { Abstract, Resource, StoredType } from '#model'
import type { BoundPlan, Limits, OrderKey, PageBounds, PageRead, PageShape, ReadPlan, RowRead } from '#plan'
import {
  cursorShape,
  defaultPageSize,
  keysetPage,
  offsetPage,
  PlanBuilder,
  planOrder,
  planSearch,
  RequestValue,
  resolveValues,
  searchShape,
  whereShape,
} from '#plan/build'
import { expectPossibleId, idParameter, type ParsedRequest } from '../request/parsed-request.ts'
import { expectParameters, noQuery, type ParameterName, type ParsedQuery } from '../request/query-string.ts'
import type { Route } from '../request/route.ts'
import { textToValue } from '../request/text-value.ts'
import { selectRow, selectTypes } from './fields.ts'
import { planFilters } from './filters.ts'

interface CachedReadPlan<P extends ReadPlan> {
  plan: P
  requestValues: readonly unknown[]
  places: readonly string[]
}

const maxCachedPlanCount = 1000
/** Classes of viewers of one route. */
const maxViewerClassCount = 100

export class ReadPlanner {
  /** Of requests without a query, by route and class of viewers: the key of their shape need not even be spelled. */
  readonly #bare = new WeakMap<Route, Map<string, CachedReadPlan<RowRead>>>()
  readonly #items = new Cache<string, CachedReadPlan<RowRead>>(maxCachedPlanCount)
  readonly #pages = new Cache<string, CachedReadPlan<PageRead>>(maxCachedPlanCount)
  readonly #limits: Limits

  constructor(limits: Limits) {
    this.#limits = limits
  }

  gauges(): Gauge[] {
    return cacheGauges('rest plans', this.#items, this.#pages)
  }

  item(parsed: ParsedRequest): BoundPlan<RowRead> {
    expectPossibleId(parsed)
    return parsed.query === noQuery ? this.#bareItem(parsed) : planCached(this.#items, parsed, this.#limits, planItem)
  }

  #bareItem(parsed: ParsedRequest): BoundPlan<RowRead> {
    const ofRoute = this.#bare.get(parsed.route) ?? new Map<string, CachedReadPlan<RowRead>>()
    const known = ofRoute.get(parsed.visibility.key)
    if (known !== undefined) return bind(known, parsed)
    const made = planFresh(parsed, this.#limits, planItem)
    if (ofRoute.size < maxViewerClassCount) ofRoute.set(parsed.visibility.key, made)
    this.#bare.set(parsed.route, ofRoute)
    return bind(made, parsed)
  }

  page(parsed: ParsedRequest): BoundPlan<PageRead> {
    if (parsed.route.kind === 'nested') expectPossibleId(parsed)
    return planCached(this.#pages, parsed, this.#limits, planPage)
  }
}

function planCached<P extends ReadPlan>(
  known: Cache<string, CachedReadPlan<P>>,
  parsed: ParsedRequest,
  limits: Limits,
  planned: (parsed: ParsedRequest, builder: PlanBuilder) => P,
): BoundPlan<P> {
  const key = shapeOf(parsed)
  const before = parsed.query.problems.length === 0 ? known.get(key) : undefined
  if (before !== undefined) return bind(before, parsed)
  const made = planFresh(parsed, limits, planned)
  known.set(key, made)
  return bind(made, parsed)
}

function bind<P extends ReadPlan>(
  { plan, requestValues: leaves, places }: CachedReadPlan<P>,
  parsed: ParsedRequest,
): BoundPlan<P> {
  return { plan, values: resolveValues(leaves, parsed), places }
}

/** Throws what is wrong with the request. */
function planFresh<P extends ReadPlan>(
  parsed: ParsedRequest,
  limits: Limits,
  planned: (parsed: ParsedRequest, builder: PlanBuilder) => P,
): CachedReadPlan<P> {
  const builder = new PlanBuilder(parsed.visibility)
  builder.problems.push(...parsed.query.problems)
  const plan = planned(parsed, builder)
  builder.finish(limits)
  return { plan, requestValues: builder.requestValues, places: builder.places }
}

/** Filter keys hold no `&` (query-string.ts), and texts are quoted, so that no two shapes have one key. */
function shapeOf({ visibility, route, query: { parameters: words, filters } }: ParsedRequest): string {
  let key = `${visibility.key}\n${route.key}`
  for (const filter of filters) {
    key += `&${filter.key}`
    if (filter.key === 'where') key += whereShape(filter.json, route.of)
    else if (filter.op === 'isNull' || filter.text === 'null' || filter.path.endsWith('isViewer')) {
      key += `=${JSON.stringify(filter.text)}`
    }
  }
  if (words.fields !== undefined) key += `&fields=${JSON.stringify(words.fields)}`
  if (words.sort !== undefined) key += `&sort=${JSON.stringify(words.sort)}`
  if (words.limit !== undefined) key += '&limit'
  if (words.offset !== undefined) key += '&offset'
  if (words.first !== undefined) key += '&first'
  if (words.after !== undefined) key += `&after=${cursorShape(words.after)}`
  if (words.search !== undefined) key += `&search${searchShape(words.search)}`
  return key
}

function planItem(parsed: ParsedRequest, builder: PlanBuilder): RowRead {
  const { route, query } = parsed
  if (route.kind !== 'item') throw new Error(`a ${route.kind} is not one row`)
  const id = idParameter(parsed, builder)
  expectParameters(query, ['fields'], builder)
  return { kind: 'one', of: route.of, id, selections: selectRow(route.of, query.parameters.fields, builder) }
}

function planPage(parsed: ParsedRequest, builder: PlanBuilder): PageRead {
  const { route, query } = parsed
  const { of } = route
  const within = route.kind === 'nested' ? { field: route.field, id: idParameter(parsed, builder) } : null
  const filter = planFilters(query.filters, of, builder)
  const where = planSearch(searchLeaf(query.parameters.search), filter, of, builder, 'search')
  const order = planOrder(sortKeys(query.parameters.sort, builder), of, builder)
  const page = planPaging(query, of, order, builder)
  const cases = selectTypes(of, query.parameters.fields, builder)
  const shape: PageShape = page.kind === 'offset' ? { kind: 'list', types: cases } : connection(cases)
  return { kind: 'many', of, within, where, order, page, shape }
}

function searchLeaf(text: string | undefined): unknown {
  return text === undefined
    ? undefined
    : new RequestValue(text, (parsed: ParsedRequest) => parsed.query.parameters.search)
}

/** `pageInfo` is last: representPage finds it there. */
function connection(cases: (PageShape & { kind: 'list' })['types']): PageShape {
  return {
    kind: 'connection',
    selections: [
      {
        kind: 'edges',
        key: 'edges',
        selections: [
          { kind: 'node', key: 'node', types: cases },
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

function sortKeys(
  sort: string | undefined,
  builder: PlanBuilder,
): { field: string; direction: string; place: string }[] {
  if (sort === undefined) return []
  return sort.split(',').flatMap((key) => {
    const field = key.startsWith('-') ? key.slice(1) : key
    if (/^\w+$/.test(field)) return [{ field, direction: key.startsWith('-') ? 'DESC' : 'ASC', place: 'sort' }]
    builder.problem('sort', 'UNKNOWN', sortAdvice(key))
    return []
  })
}

/** Other dialects write a direction behind the name, or sort by what a row refers to. */
function sortAdvice(key: string): string {
  const [, name, direction] = /^(\w+)[:. +](asc|desc)$/i.exec(key) ?? []
  if (name !== undefined) return `"${key}" is written ${direction!.toLowerCase() === 'desc' ? '-' : ''}${name}.`
  if (key === '') return 'misses a name; it is written sort=-createdAt,title.'
  if (key.includes('.')) return `"${key}" leads to another row; pages are sorted by the own fields of their rows.`
  return `"${key}" is no name of a field; it is written sort=-createdAt,title.`
}

function planPaging(query: ParsedQuery, of: Resource | Abstract, order: OrderKey[], builder: PlanBuilder): PageBounds {
  const { parameters: words } = query
  const offset = words.limit ?? words.offset
  const cursor = words.first ?? words.after
  if (offset !== undefined && cursor !== undefined) {
    const place = words.first === undefined ? 'after' : 'first'
    builder.problem(
      place,
      'UNKNOWN',
      'goes with cursor pages, limit and offset with offset pages; one of the two is meant.',
    )
  }
  if (cursor === undefined) {
    return offsetPage(count('limit', defaultPageSize), count('offset', 0), builder, {
      limit: 'limit',
      offset: 'offset',
    })
  }
  const after =
    words.after === undefined
      ? null
      : new RequestValue(words.after, (parsed: ParsedRequest) => parsed.query.parameters.after)
  return keysetPage(count('first', defaultPageSize), after, of, order, builder, { first: 'first', after: 'after' })

  function count(word: ParameterName, otherwise: number): unknown {
    const read = (parsed: Pick<ParsedRequest, 'query'>) => textToValue(intType, parsed.query.parameters[word] ?? '')
    return words[word] === undefined ? otherwise : new RequestValue(read({ query }), read)
  }
}

const intType: StoredType = { kind: 'scalar', name: 'Int' }
