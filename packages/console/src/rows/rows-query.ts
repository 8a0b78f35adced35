// The query of a table, in the words of REST: `sort`, `fields`, `search`, and a filter for each other name. Parameters that the page has
// no form for, such as `where` and `deleted`, stay as they are.

import { type FieldModel, fieldNamed, innerType, type TypeModel, typeNamed } from '../api/model.ts'
import { apiFields, versionField } from '../api/row.ts'

export interface Filter {
  /** `title`, `author.name`. */
  path: string
  operator: string
  /** As it is written in the address. */
  value: string
}

export interface SortKey {
  path: string
  isDescending: boolean
}

export interface RowsQuery {
  /** The columns; null: the standard ones. */
  fields: readonly string[] | null
  sort: readonly SortKey[]
  search: string
  filters: readonly Filter[]
  /** Name and value. */
  others: readonly (readonly [string, string])[]
}

export interface Column {
  path: string
  field: FieldModel
}

const kept = ['where', 'deleted', 'distinct']

export function parseRowsQuery(text: string): RowsQuery {
  let fields: string[] | null = null
  let search = ''
  const sort: SortKey[] = []
  const filters: Filter[] = []
  const others: [string, string][] = []
  for (const [name, value] of new URLSearchParams(text)) {
    if (name === 'fields') fields = [...(fields ?? []), ...split(value)]
    else if (name === 'search') search = value
    else if (name === 'sort') sort.push(...split(value).map(readSortKey))
    else if (kept.includes(name)) others.push([name, value])
    else {
      const [, path = name, operator = 'eq'] = /^(.+)\[(\w+)\]$/.exec(name) ?? []
      filters.push({ path, operator, value })
    }
  }
  return { fields, sort, search, filters, others }
}

export function printRowsQuery(query: RowsQuery): string {
  const parameters = [...filterParameters(query)]
  if (query.fields !== null) parameters.push(['fields', query.fields.join(',')])
  return printParameters(parameters)
}

/** The query of the request behind the table, without the page. */
export function apiQuery(query: RowsQuery, columns: readonly Column[], type: TypeModel): string {
  const fields = new Set(['id', ...(type.kind === 'abstract' ? ['_type'] : versionField(type))])
  if (type.label !== null) fields.add(type.label)
  for (const column of columns) for (const name of columnFields(column)) fields.add(name)
  return printParameters([...filterParameters(query), ['fields', [...fields].join(',')]])
}

/** The query of a request that only counts. */
export function countQuery(query: RowsQuery): string {
  return printParameters([...filterParameters({ ...query, sort: [] }), ['fields', 'id'], ['limit', '1']])
}

/** The query of a file with the rows: the columns as they are shown, references by their labels. */
export function exportQuery(query: RowsQuery, columns: readonly Column[]): string {
  const fields = columns.map((column) => {
    const to = column.field.kind === 'reference' ? typeNamed(column.field.type) : undefined
    return to?.label == null ? column.path : `${column.path}.${to.label}`
  })
  return printParameters([...filterParameters(query), ['fields', fields.join(',')]])
}

/** The conditions alone, for a write of all rows that match; null: it can't have them. */
export function bulkQuery(query: RowsQuery): string | null {
  return query.search === '' ? printParameters(filterParameters({ ...query, sort: [] })) : null
}

/** Whether some of the rows may be deleted ones: those can't be opened or changed. */
export function showsDeleted({ others }: RowsQuery): boolean {
  return others.some(([name]) => name === 'deleted')
}

export function showsOnlyDeleted({ others }: RowsQuery): boolean {
  return others.some(([name, value]) => name === 'deleted' && value === 'only')
}

export function columnsOf(type: TypeModel, { fields }: Pick<RowsQuery, 'fields'>): Column[] {
  const paths = fields ?? standardColumns(type)
  return paths.flatMap((path) => {
    const field = fieldAt(type, path)
    return field === undefined || field.kind === 'list' || field.kind === 'computed' ? [] : [{ path, field }]
  })
}

/** The label first, then the other fields of the row in the order of the schema file. */
function standardColumns(type: TypeModel): string[] {
  const names = type.fields.filter(({ shown, name }) => shown && name !== 'id').map(({ name }) => name)
  const others = names.filter((name) => name !== type.label)
  return type.label === null ? ['id', ...others] : [type.label, ...others]
}

/** The field that a path leads to, through references. */
function fieldAt(type: TypeModel, path: string): FieldModel | undefined {
  const [first, ...rest] = path.split('.')
  const field = fieldNamed(type, first!)
  if (rest.length === 0 || field === undefined) return field
  const next = field.kind === 'reference' ? typeNamed(field.type) : undefined
  return next === undefined ? undefined : fieldAt(next, rest.join('.'))
}

/** The field that a filter is about: a path may also lead through lists, of which some row must match. */
export function filteredField(type: TypeModel, path: string): FieldModel | undefined {
  const [first, ...rest] = path.split('.')
  const field = fieldNamed(type, first!)
  if (rest.length === 0 || field === undefined) return field
  const next = typeNamed(innerType(field.type))
  return next === undefined ? undefined : filteredField(next, rest.join('.'))
}

/** The paths that a filter can have: those of columns, and the fields of the rows of lists. */
export function filterPaths(type: TypeModel, isWanted: (field: FieldModel) => boolean): string[] {
  const inLists = type.fields.flatMap((list) => {
    const to = list.kind === 'list' ? typeNamed(innerType(list.type)) : undefined
    const fields = to?.fields.filter((one) => one.kind !== 'list' && one.kind !== 'computed' && isWanted(one)) ?? []
    return fields.map(({ name }) => `${list.name}.${name}`)
  })
  return [...pathsOf(type, isWanted), ...inLists]
}

/** The paths that a column can have: the fields of the row, and those one reference further. */
export function pathsOf(type: TypeModel, isWanted: (field: FieldModel) => boolean): string[] {
  return type.fields.flatMap((field) => {
    const own = isWanted(field) ? [field.name] : []
    const next = field.kind === 'reference' ? typeNamed(field.type) : undefined
    const further = next?.fields.filter((one) => one.kind === 'value' && isWanted(one)) ?? []
    return [...own, ...further.map(({ name }) => `${field.name}.${name}`)]
  })
}

/** By what a click on the column sorts: of a reference by the label of its row. Null: it can't be sorted by. */
export function sortPath({ path, field }: Column): string | null {
  if (field.sort) return path
  const to = field.kind === 'reference' ? typeNamed(field.type) : undefined
  const label = to?.label == null ? undefined : fieldNamed(to, to.label)
  return label?.sort ? `${path}.${label.name}` : null
}

/** What a path leads to in a row. */
export function valueAt(row: unknown, path: string): unknown {
  if (!path.includes('.')) return (row as Record<string, unknown>)[path]
  return path.split('.').reduce((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], row)
}

function columnFields({ path, field }: Column): string[] {
  const before = path.split('.').slice(0, -1)
  return apiFields(field).map((name) => [...before, name].join('.'))
}

function* filterParameters({ sort, search, filters, others }: RowsQuery): Generator<[string, string]> {
  for (const { path, operator, value } of filters) yield [operator === 'eq' ? path : `${path}[${operator}]`, value]
  for (const [name, value] of others) yield [name, value]
  if (search !== '') yield ['search', search]
  if (sort.length > 0) yield ['sort', sort.map(({ path, isDescending }) => (isDescending ? '-' : '') + path).join(',')]
}

/** Readable: brackets, commas and dots stay as they are. */
function printParameters(parameters: Iterable<readonly [string, string]>): string {
  return [...parameters].map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/%(?:5B|5D|2C|3A)/g, (code) => decodeURIComponent(code))
}

function readSortKey(text: string): SortKey {
  return text.startsWith('-') ? { path: text.slice(1), isDescending: true } : { path: text, isDescending: false }
}

function split(value: string): string[] {
  return value.split(',').filter((part) => part !== '')
}
