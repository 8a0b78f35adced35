// `?groupBy=…` → GroupRead (docs/reference/rest.md#aggregates). Names with `_` are measures: no field of a schema begins with it.
// `groupBy=` without a key is one group of all rows.

import {
  type Abstract,
  hasAggregates,
  isFieldMeasure,
  type MeasureName,
  measureType,
  type Resource,
  type StoredField,
  type StoredType,
  typeWord,
  wholeValue,
} from '#model'
import type { GroupRead } from '#plan'
import {
  type PlanBuilder,
  planGroups,
  planSearch,
  type RequestedCondition,
  type RequestedGroupOrder,
  type RequestedGroupSelection,
  type RequestedKey,
  RequestValue,
} from '#plan/build'
import { locateRow, type ParsedRequest } from '../request/parsed-request.ts'
import type { FilterParameter, ParameterName } from '../request/query-string.ts'
import { textToValue } from '../request/text-value.ts'
import { planFilters } from './filters.ts'

export function planGroupsOf(parsed: ParsedRequest, builder: PlanBuilder): GroupRead {
  const { route, query } = parsed
  const { of } = route
  const { parameters } = query
  const within =
    route.kind === 'nested' ? { field: route.field, ...locateRow(parsed, route.field.owner, builder) } : null
  if (!hasAggregates(of))
    builder.problem('groupBy', 'UNKNOWN', `${of.name} is a type of the server itself and has no groups.`)
  const keys = groupKeys(parameters.groupBy ?? '', builder)
  const isOne = keys.length === 0
  refuseParameters(parsed, isOne, builder)
  const rowFilters = query.filters.filter((filter) => measureIn(filter.path, of) === null)
  const filter = planFilters(query.filters, of, builder, rowFilters)
  const where = planSearch(leafOf('search'), filter, of, builder, 'search')
  const fields = parameters.fields === undefined ? [...new Set(defaultFields(keys))] : parameters.fields.split(',')
  const requested = {
    where,
    by: isOne ? null : keys,
    timeZone: leafOf('timeZone'),
    having: query.filters.flatMap((one, index) => conditionOf(one, index, parsed)),
    orderBy: sortKeys(parameters.sort, of),
    limit: countOf('limit'),
    offset: countOf('offset'),
    selections: selectionsOf(fields, of, builder),
    places: { by: 'groupBy', timeZone: 'timeZone', having: 'groupBy', limit: 'limit', offset: 'offset' },
  }
  const plan = { ...planGroups(requested, of, builder), within }
  return parsed.count !== undefined && !isOne ? { ...plan, total: true } : plan

  function leafOf(name: ParameterName): unknown {
    const text = parameters[name]
    return text === undefined ? undefined : new RequestValue(text, (next: ParsedRequest) => next.query.parameters[name])
  }

  function countOf(name: 'limit' | 'offset'): unknown {
    const read = ({ query: { parameters: sent } }: ParsedRequest) => textToValue(int, sent[name] ?? '')
    return parameters[name] === undefined ? undefined : new RequestValue(read(parsed), read)
  }
}

const int: StoredType = { kind: 'scalar', name: 'Int' }

/** Groups have pages by offset; one group has no page, no order and no conditions. */
function refuseParameters(
  { query: { parameters, filters }, route: { of } }: ParsedRequest,
  isOne: boolean,
  builder: PlanBuilder,
): void {
  for (const name of ['first', 'after'] as const)
    if (parameters[name] !== undefined) builder.problem(name, 'UNKNOWN', 'is for rows; groups have limit and offset.')
  if (parameters.distinct !== undefined)
    builder.problem('distinct', 'UNKNOWN', 'is for rows; the keys of groupBy are distinct already.')
  if (!isOne) return
  const sent = [
    ...(['sort', 'limit', 'offset', 'timeZone'] as const).filter((name) => parameters[name] !== undefined),
    ...filters.filter(({ path }) => measureIn(path, of) !== null).map(({ key }) => key),
  ]
  for (const name of sent) builder.problem(name, 'UNKNOWN', 'is for groups; groupBy= without a key is one row.')
}

/** `status,createdAt(month),customer.country`. */
function groupKeys(text: string, builder: PlanBuilder): RequestedKey[] {
  if (text === '') return []
  return text.split(',').flatMap((key) => {
    const [, path, part] = /^([A-Za-z0-9_.]+)(?:\(([A-Za-z]+)\))?$/.exec(key) ?? []
    if (path !== undefined)
      return [{ path: path.split('.'), part: part?.toUpperCase() ?? wholeValue, place: 'groupBy' }]
    builder.problem('groupBy', 'UNKNOWN', `"${key}" is not a key; write groupBy=status,createdAt(month),author.name.`)
    return []
  })
}

interface NamedMeasure {
  measure: string
  path: string[]
}

/** `_sum.total` is a measure; null for the name of a field, also of one that the server adds to an account, and for the filter of the
 *  type. */
function measureIn(name: string, { fields }: Resource | Abstract): NamedMeasure | null {
  const [first, ...path] = name.split('.')
  if (!first!.startsWith('_') || first === typeWord || fields.has(first!)) return null
  return { measure: first!.slice(1), path }
}

/** The condition of a filter on a measure. */
function conditionOf(
  { key, path, op, text }: FilterParameter,
  index: number,
  parsed: ParsedRequest,
): RequestedCondition[] {
  const { of } = parsed.route
  const named = measureIn(path, of)
  if (named === null) return []
  const type = operandType(named, of)
  const read = (value: string): unknown => {
    if (op === 'isNull') return textToValue({ kind: 'scalar', name: 'Boolean' }, value)
    return op === 'between' ? value.split(',').map((one) => textToValue(type, one)) : textToValue(type, value)
  }
  const leaf =
    op === 'isNull'
      ? read(text)
      : new RequestValue(read(text), ({ query }: ParsedRequest) => read(query.filters[index]!.text))
  return [{ ...named, operator: op, leaf, place: key }]
}

/** The plan reports what is no measure. */
function operandType({ measure, path }: NamedMeasure, of: Resource | Abstract): StoredType {
  const field = path.length === 1 ? of.fields.get(path[0]!) : undefined
  if (!isFieldMeasure(measure) || field?.kind !== 'stored') return int
  return measureType(measure as MeasureName, (field as StoredField).type)
}

/** `-_sum.total,status`. */
function sortKeys(sort: string | undefined, of: Resource | Abstract): RequestedGroupOrder[] {
  if (sort === undefined) return []
  return sort.split(',').map((key) => {
    const name = key.startsWith('-') ? key.slice(1) : key
    const direction = key.startsWith('-') ? 'DESC' : 'ASC'
    const { measure, path } = measureIn(name, of) ?? { measure: null, path: name.split('.') }
    return { measure, path, direction, place: 'sort' }
  })
}

/** Without `fields`: the keys, and the number of rows. */
function defaultFields(keys: readonly RequestedKey[]): string[] {
  return [...keys.map(({ path }) => path.join('.')), '_count']
}

/** `status,_count,_sum.total` → `{key: {status}, count, sum: {total}}`: the keys first, the measures in the order of the request. */
function selectionsOf(
  fields: readonly string[],
  of: Resource | Abstract,
  builder: PlanBuilder,
): RequestedGroupSelection[] {
  const keys: SelectedObject = { kind: 'object', key: 'key', selections: [] }
  const measures: RequestedGroupSelection[] = []
  const seen = new Set<string>()
  for (const field of fields) {
    if (seen.has(field)) builder.problem('fields', 'UNKNOWN', `"${field}" is named twice.`)
    seen.add(field)
    const named = measureIn(field, of)
    if (named === null) addKey(keys, field.split('.'), field.split('.'))
    else addMeasure(measures, named)
  }
  return keys.selections.length === 0 ? measures : [keys, ...measures]
}

interface SelectedObject {
  kind: 'object'
  key: string
  selections: RequestedGroupSelection[]
}

function addKey(into: SelectedObject, steps: readonly string[], path: readonly string[]): void {
  const [step, ...rest] = steps
  if (rest.length === 0) into.selections.push({ kind: 'key', key: step!, path, place: 'fields' })
  else addKey(objectIn(into.selections, step!), rest, path)
}

function addMeasure(into: RequestedGroupSelection[], { measure, path }: NamedMeasure): void {
  const place = 'fields'
  if (path.length === 0) into.push({ kind: 'measure', key: measure, measure, path, place })
  else objectIn(into, measure).selections.push({ kind: 'measure', key: path.join('.'), measure, path, place })
}

function objectIn(selections: RequestedGroupSelection[], key: string): SelectedObject {
  const known = selections.find((one): one is SelectedObject => one.kind === 'object' && one.key === key)
  if (known !== undefined) return known
  const made: SelectedObject = { kind: 'object', key, selections: [] }
  selections.push(made)
  return made
}
