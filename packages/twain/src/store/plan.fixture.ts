// Short notation for plans as an adapter would build them, for the tests of this module.

import { type Abstract, type Model, membersOf, type Resource, type StoredType } from '#model'
import {
  type BoundPlan,
  type ConnectionSelection,
  defaultLimits,
  type Guard,
  type PageRead,
  type RowRead,
  type Selection,
  type TypeSelection,
  type ValueSelection,
  type Where,
} from '#plan'
import {
  fullVisibility,
  keysetPage,
  offsetPage,
  PlanBuilder,
  planDistinct,
  planOrder,
  planSearch,
  planWhere,
} from '#plan/build'

/** Field names; `{field: […]}` selects inside a reference or a list, and `{field: request}` reads a list with a request. */
export type Select = (string | { [field: string]: Select | PageRequest })[]

export interface PageRequest {
  select?: Select | undefined
  /** By type, over an interface or a union. */
  byType?: Record<string, Select>
  where?: unknown
  search?: string
  /** `title`, `-rating`. */
  order?: string[]
  limit?: number
  offset?: number
  /** Of a page by offset. */
  total?: true
  isEstimated?: true
  distinct?: string[]
  deleted?: 'only' | 'with'
  /** Requests a connection. */
  first?: number
  after?: string | null
  /** Members of the connection, all when left out. */
  connection?: ConnectionSelection['kind'][]
  within?: { field: string; of: string; id: string }
}

export function planOne(model: Model, type: string, id: string, select?: Select): BoundPlan<RowRead> {
  const of = resourceOf(model, type)
  const builder = new PlanBuilder()
  const parameter = builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, id, 'id')
  const plan: RowRead = { kind: 'one', of, id: parameter, selections: selectFields(of, select, builder) }
  builder.finish(defaultLimits)
  return { plan, values: builder.values(), places: builder.places }
}

export function planMany(model: Model, type: string, request: PageRequest): BoundPlan<PageRead> {
  const builder = new PlanBuilder()
  const plan = many(model.types.get(type) as Resource | Abstract, request, builder)
  if (request.within !== undefined) {
    const { field: name, of, id } = request.within
    const field = resourceOf(model, of).fields.get(name)
    if (field?.kind !== 'many' && field?.kind !== 'links') throw new Error(`${of}.${name} is not a list`)
    plan.within = { field, id: builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, id, 'id') }
  }
  builder.finish(defaultLimits)
  return { plan, values: builder.values(), places: builder.places }
}

/** A filter of a rule, whose values are constants. They must be canonical. */
export function guardOf(model: Model, type: string, where: unknown): Guard {
  const builder = new PlanBuilder({ ...fullVisibility, account: model.account?.resource ?? null })
  const plan = planWhere(where, resourceOf(model, type), builder, '')!
  builder.finish(defaultLimits)
  return withConstants(plan)

  function withConstants(part: Where): Where {
    switch (part.kind) {
      case 'and':
      case 'or':
        return { ...part, of: part.of.map(withConstants) }
      case 'not':
        return { ...part, of: withConstants(part.of) }
      case 'through':
        return { ...part, where: withConstants(part.where) }
      case 'some':
      case 'none':
        return { ...part, where: part.where === null ? null : withConstants(part.where) }
      case 'type':
        return part.where === undefined ? part : { ...part, where: withConstants(part.where) }
      case 'compare':
        return 'index' in part.parameter
          ? { ...part, parameter: { constant: builder.values()[part.parameter.index] } }
          : part
      default:
        return part
    }
  }
}

export function resourceOf(model: Model, name: string): Resource {
  const type = model.types.get(name)
  if (type?.kind !== 'resource') throw new Error(`${name} is not a resource`)
  return type
}

/** The default representation of REST: everything but lists of other rows. */
export function selectAll(of: Resource): Selection[] {
  const own = [...of.fields.values()].filter(({ kind }) => kind === 'stored' || kind === 'reference')
  return selectFields(
    of,
    own.map(({ name }) => name),
    new PlanBuilder(),
  )
}

function many(of: Resource | Abstract, request: PageRequest, builder: PlanBuilder): PageRead {
  const where = planSearch(request.search, planWhere(request.where, of, builder, ''), of, builder, 'search')
  const keys = (request.order ?? []).map((key) => ({
    field: key.replace(/^-/, ''),
    direction: key.startsWith('-') ? 'DESC' : 'ASC',
    place: 'sort',
  }))
  const order = planOrder(keys, of, builder)
  const { first, after, limit = 20, offset = 0 } = request
  const page =
    first === undefined
      ? offsetPage(limit, offset, builder, { limit: 'limit', offset: 'offset' })
      : keysetPage(first, after, of, order, builder, { first: 'first', after: 'after' })
  const types = membersOf(of).map((member): TypeSelection => {
    const select = request.byType === undefined ? request.select : request.byType[member.name]
    return { of: member, selections: selectFields(member, select, builder) }
  })
  const distinct = planDistinct(request.distinct, of, builder, 'distinct')
  const deleted = request.deleted === undefined ? {} : { deleted: { rows: request.deleted } }
  return { kind: 'many', of, within: null, ...deleted, where, order, ...distinct, page, shape: shapeOf(request, types) }
}

function shapeOf({ first, total, isEstimated, connection }: PageRequest, types: TypeSelection[]): PageRead['shape'] {
  const options = isEstimated === true ? { isEstimated } : {}
  if (first === undefined) return { kind: 'list', types, ...(total === true ? { total, ...options } : {}) }
  const all: ConnectionSelection[] = [
    {
      kind: 'edges',
      key: 'edges',
      selections: [
        { kind: 'node', key: 'node', types: types },
        { kind: 'cursor', key: 'cursor' },
      ],
    },
    {
      kind: 'pageInfo',
      key: 'pageInfo',
      selections: (['hasNextPage', 'endCursor', 'hasPreviousPage', 'startCursor'] as const).map((kind) => ({
        kind,
        key: kind,
      })),
    },
    { kind: 'totalCount', key: 'totalCount', ...options },
  ]
  return {
    kind: 'connection',
    selections: all.filter(({ kind }) => connection === undefined || connection.includes(kind)),
  }
}

function selectFields(of: Resource, select: Select | undefined, builder: PlanBuilder): Selection[] {
  if (select === undefined) return selectAll(of)
  return select.flatMap((one) =>
    typeof one === 'string'
      ? [selectField(of, one, undefined, builder)]
      : Object.entries(one).map(([name, inner]) => selectField(of, name, inner, builder)),
  )
}

/** `key:name` returns the field under another key. */
function selectField(
  of: Resource,
  word: string,
  inner: Select | PageRequest | undefined,
  builder: PlanBuilder,
): Selection {
  const [name = '', key = name] = word.split(':').toReversed()
  if (name === '__typename') return { kind: 'constant', key, value: of.name }
  if (name === '_version') return { kind: 'version', key }
  const field = of.fields.get(name)
  switch (field?.kind) {
    case undefined:
      throw new Error(`${of.name} has no field ${name}`)
    case 'stored': {
      const members = selectMembers(field.type)
      return members === null ? { kind: 'field', key, field } : { kind: 'value', key, field, selections: members }
    }
    case 'reference':
    case 'inverse': {
      if (inner === undefined) return { kind: 'id', key, field }
      const request = toPageRequest(inner)
      const types = membersOf(field.to).map((member): TypeSelection => {
        const select = request.byType === undefined ? request.select : request.byType[member.name]
        return { of: member, selections: selectFields(member, select, builder) }
      })
      return { kind: 'one', key, field, types: types }
    }
    case 'many':
    case 'links':
      return { kind: 'many', key, field, read: many(field.to, toPageRequest(inner ?? []), builder) }
  }
}

function toPageRequest(inner: Select | PageRequest): PageRequest {
  return Array.isArray(inner) ? { select: inner } : inner
}

/** All members of a value type, or null if there are none. Cycles of value types end at the third level. */
function selectMembers(type: StoredType, depth = 0): ValueSelection[] | null {
  if (type.kind === 'list') return selectMembers(type.of, depth)
  if (type.kind !== 'value') return null
  const members = [...type.value.fields.values()].filter((field) => depth < 2 || !isValue(field.type))
  return members.map((field) => ({
    kind: 'field',
    key: field.name,
    field,
    selections: selectMembers(field.type, depth + 1),
  }))
}

function isValue(type: StoredType): boolean {
  return type.kind === 'list' ? isValue(type.of) : type.kind === 'value'
}
