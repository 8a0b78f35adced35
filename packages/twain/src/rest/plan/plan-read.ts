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
import { expectParameters } from '../request/expect-parameters.ts'
import { expectPossibleId, idSlot } from '../request/ids.ts'
import type { ParsedRequest } from '../request/parsed-request.ts'
import { noQuery, type Query, type Word } from '../request/query-string.ts'
import type { Route } from '../request/route.ts'
import { textToValue } from '../request/text-value.ts'
import { pickCases, pickRow } from './fields.ts'
import { planFilters } from './filters.ts'

interface Known<P extends ReadPlan> {
  plan: P
  leaves: readonly unknown[]
  places: readonly string[]
}

const mostShapes = 1000
/** Classes of viewers of one route. */
const mostBare = 100

export class ReadPlanner {
  /** Of requests without a query, by route and class of viewers: the key of their shape need not even be spelled. */
  readonly #bare = new WeakMap<Route, Map<string, Known<RowRead>>>()
  readonly #items = new Cache<string, Known<RowRead>>(mostShapes)
  readonly #pages = new Cache<string, Known<PageRead>>(mostShapes)
  readonly #limits: Limits

  constructor(limits: Limits) {
    this.#limits = limits
  }

  gauges(): Gauge[] {
    return cacheGauges('rest plans', this.#items, this.#pages)
  }

  item(asked: ParsedRequest): BoundPlan<RowRead> {
    expectPossibleId(asked)
    return asked.query === noQuery ? this.#bareItem(asked) : remember(this.#items, asked, this.#limits, planItem)
  }

  #bareItem(asked: ParsedRequest): BoundPlan<RowRead> {
    const ofRoute = this.#bare.get(asked.route) ?? new Map<string, Known<RowRead>>()
    const known = ofRoute.get(asked.sight.key)
    if (known !== undefined) return again(known, asked)
    const made = make(asked, this.#limits, planItem)
    if (ofRoute.size < mostBare) ofRoute.set(asked.sight.key, made)
    this.#bare.set(asked.route, ofRoute)
    return again(made, asked)
  }

  page(asked: ParsedRequest): BoundPlan<PageRead> {
    if (asked.route.kind === 'nested') expectPossibleId(asked)
    return remember(this.#pages, asked, this.#limits, planPage)
  }
}

function remember<P extends ReadPlan>(
  known: Cache<string, Known<P>>,
  asked: ParsedRequest,
  limits: Limits,
  planned: (asked: ParsedRequest, builder: PlanBuilder) => P,
): BoundPlan<P> {
  const key = shapeOf(asked)
  const before = asked.query.problems.length === 0 ? known.get(key) : undefined
  if (before !== undefined) return again(before, asked)
  const made = make(asked, limits, planned)
  known.set(key, made)
  return again(made, asked)
}

function again<P extends ReadPlan>({ plan, leaves, places }: Known<P>, asked: ParsedRequest): BoundPlan<P> {
  return { plan, values: resolveValues(leaves, asked), places }
}

/** Throws what is wrong with the request. */
function make<P extends ReadPlan>(
  asked: ParsedRequest,
  limits: Limits,
  planned: (asked: ParsedRequest, builder: PlanBuilder) => P,
): Known<P> {
  const builder = new PlanBuilder(asked.sight)
  builder.problems.push(...asked.query.problems)
  const plan = planned(asked, builder)
  builder.finish(limits)
  return { plan, leaves: builder.requestValues, places: builder.places }
}

/** Filter keys hold no `&` (query-string.ts), and texts are quoted, so that no two shapes have one key. */
function shapeOf({ sight: visibility, route, query: { words, filters } }: ParsedRequest): string {
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

function planItem(asked: ParsedRequest, builder: PlanBuilder): RowRead {
  const { route, query } = asked
  if (route.kind !== 'item') throw new Error(`a ${route.kind} is not one row`)
  const id = idSlot(asked, builder)
  expectParameters(query, ['fields'], builder)
  return { kind: 'one', of: route.of, id, selections: pickRow(route.of, query.words.fields, builder) }
}

function planPage(asked: ParsedRequest, builder: PlanBuilder): PageRead {
  const { route, query } = asked
  const { of } = route
  const within = route.kind === 'nested' ? { field: route.field, id: idSlot(asked, builder) } : null
  const filter = planFilters(query.filters, of, builder)
  const where = planSearch(searchLeaf(query.words.search), filter, of, builder, 'search')
  const order = planOrder(sortKeys(query.words.sort, builder), of, builder)
  const page = planPaging(query, of, order, builder)
  const cases = pickCases(of, query.words.fields, builder)
  const shape: PageShape = page.kind === 'offset' ? { kind: 'list', types: cases } : connection(cases)
  return { kind: 'many', of, within, where, order, page, shape }
}

function searchLeaf(text: string | undefined): unknown {
  return text === undefined ? undefined : new RequestValue(text, (asked: ParsedRequest) => asked.query.words.search)
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

function planPaging(query: Query, of: Resource | Abstract, order: OrderKey[], builder: PlanBuilder): PageBounds {
  const { words } = query
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
    words.after === undefined ? null : new RequestValue(words.after, (asked: ParsedRequest) => asked.query.words.after)
  return keysetPage(count('first', defaultPageSize), after, of, order, builder, { first: 'first', after: 'after' })

  function count(word: Word, otherwise: number): unknown {
    const read = (asked: Pick<ParsedRequest, 'query'>) => textToValue(intType, asked.query.words[word] ?? '')
    return words[word] === undefined ? otherwise : new RequestValue(read({ query }), read)
  }
}

const intType: StoredType = { kind: 'scalar', name: 'Int' }
