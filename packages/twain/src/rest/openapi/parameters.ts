// Query parameters and request headers. The filters of a collection are one parameter for each field and operator
// (`createdAt[gte]`). Filters through references are described in the text, and complete in `where`.

import { unreachable } from '#base'
import {
  type Abstract,
  type Field,
  type FilterOperator,
  fieldMeasureNames,
  hasAggregates,
  isOpaque,
  isReadRestricted,
  isSortable,
  isText,
  type LinksField,
  type Model,
  mayBeAccount,
  measureOperators,
  operatorOf,
  operatorsOf,
  type Resource,
  type StoredType,
  searchedFields,
  type TypeOperator,
  timeParts,
  typeOperators,
  uniqueKeysOf,
  type ValueType,
} from '#model'
import { withAliases } from '#model/names'
import type { Limits } from '#plan'
import { countWord, defaultPageSize, keyType, maxGroupKeys, maxGroups, maxMeasures, maxSearchLength } from '#plan/build'
import { exampleValue } from '#plan/explain'
import { typeKey } from '../plan/type-key.ts'
import { conflictParameter } from '../request/on-conflict.ts'
import type { PathKey } from '../request/path-key.ts'
import { parameterNames } from '../request/query-string.ts'
import { linkedIdName } from '../request/route.ts'
import type { OpenapiObject, OpenapiProfile } from './json-parts.ts'
import { storedSchema } from './schemas/stored-schema.ts'
import { isIdOfRow, operandSchema, typeOperand } from './schemas/where-schemas.ts'

export type NamedParameter = [name: string, parameter: OpenapiObject]

export function parameterRef(name: string): OpenapiObject {
  return { $ref: `#/components/parameters/${name}` }
}

/** The parameters that are the same for all types. */
export function sharedParameters({ page, bulk }: Limits) {
  const maxRows = bulk === 0 ? 2147483647 : bulk
  const maxPageSize = page === 0 ? 2147483647 : page
  const size = { type: 'integer', minimum: 0, maximum: maxPageSize, default: Math.min(defaultPageSize, maxPageSize) }
  return {
    limit: query('limit', 'The maximum number of rows.', size),
    'bulk.limit': query('limit', 'Writes at most so many of the rows that match, in the order of `sort`.', {
      type: 'integer',
      minimum: 0,
      maximum: maxRows,
    }),
    'bulk.all': query('all', 'Whether a request without a filter may write all rows.', { type: 'boolean' }),
    'bulk.dryRun': query('dryRun', 'Writes nothing, and returns what would be written.', { type: 'boolean' }),
    offset: query('offset', 'The number of rows to skip.', {
      type: 'integer',
      minimum: 0,
      maximum: 2147483647,
      default: 0,
    }),
    distinct: query(
      'distinct',
      'Of the rows that have the same values in these fields, only the first in the order: `author,status`.',
      { type: 'string', maxLength: 1000 },
    ),
    groupBy: {
      ...query('groupBy', groupByText, { type: 'string', maxLength: 1000, examples: ['status,createdAt(month)'] }),
      allowEmptyValue: true,
    },
    timeZone: query('timeZone', 'Only with `groupBy`: the time zone of the parts of times.', {
      type: 'string',
      default: 'UTC',
      examples: ['Europe/Oslo'],
    }),
    first: query('first', 'The maximum number of rows of a cursor page; not together with `limit` or `offset`.', size),
    after: query('after', 'The cursor after which a cursor page begins: `endCursor` of the previous page.', {
      type: 'string',
    }),
    'history.first': query('first', 'The maximum number of changes.', size),
    'history.after': query('after', 'The cursor after which to begin: `endCursor` of the previous page.', {
      type: 'string',
    }),
    'history.fields': query('fields', 'Members of a change, separated by commas: `kind,version,time,by,via,changed`.', {
      type: 'string',
    }),
    'access.as': query('as', 'Of whom: `nobody`, `role:editor` or `account:<id>`; by default of the viewer.', {
      type: 'string',
    }),
    deleted: query('deleted', 'Deleted rows that you could restore: `only` these, or the others `with` these.', {
      enum: ['only', 'with'],
    }),
    purge: query('purge', '`true` deletes the row for good, also if it is deleted already.', {
      type: 'boolean',
      default: false,
    }),
    id: { name: 'id', in: 'path', required: true, description: 'The id of the row.', schema: idSchema },
    Prefer: header(
      'Prefer',
      '`count=exact` requests the total number of rows, in `X-Total-Count`. `count=estimated` may estimate more than 10,000. `cut=200` shortens texts and JSON with more than 200 characters to these and `…`.',
      'count=exact',
    ),
    'create.Prefer': header(
      'Prefer',
      '`handling=lenient` creates those of many rows that can be created, in portions, and answers with a line of NDJSON for each. With `onConflict`: `resolution=ignore-duplicates` leaves a row that is there as it is.',
      'handling=lenient',
    ),
    'delete.Prefer': header(
      'Prefer',
      '`respond-async` deletes a row with too many rows behind it in the background: 202.',
      'respond-async',
    ),
    'If-None-Match': header(
      'If-None-Match',
      'ETags that the client has: 304 if the current one is among them.',
      oneTag,
      tags,
    ),
    'If-Match': header('If-Match', 'Required ETags: 412 if the current one is not among them.', oneTag, tags),
    'If-Modified-Since': header('If-Modified-Since', `304 if the row has not changed since. ${where}`, exampleHttpDate),
    'If-Unmodified-Since': header('If-Unmodified-Since', `412 if the row has changed since. ${where}`, exampleHttpDate),
    'write.If-Match': header(
      'If-Match',
      'The `ETag` of the row when it was read, a list of them, or `*` for any row: 412 if the row has another version now.',
      oneTag,
      tags,
    ),
    'write.If-None-Match': header(
      'If-None-Match',
      'ETags that the row must not have, or `*`: the row must not exist. 412 otherwise.',
      oneTag,
      tags,
    ),
    'Idempotency-Key': header(
      'Idempotency-Key',
      'Makes a retry safe: for a day, the same key and body return the first response again.',
      '8e03978e-40d5-43dd-bc93-6894a57f9324',
      '^("[ !#-\\[\\]-~]{1,255}"|[!#-~]{1,255})$',
    ),
  } satisfies Record<string, OpenapiObject>
}

const groupByText = [
  `Groups of rows in the place of rows, by at most ${maxGroupKeys} keys. Empty: one group of all rows.`,
  `A key is a field, also of a row that it refers to (\`author.name\`), or a part of a time (\`createdAt(month)\`): ${timeParts.join(', ').toLowerCase()}.`,
  `\`fields\` and \`sort\` then take keys and measures: \`_count\`, and ${fieldMeasureNames.map((name) => `\`_${name}\``).join(', ')} of a field, such as \`_max.createdAt\`; at most ${maxMeasures}.`,
  `\`_count[gte]=5\` chooses groups, by ${[...measureOperators, 'between', 'isNull'].join(', ')} of any measure.`,
  `Pages are by \`limit\`, at most ${maxGroups}, and \`offset\`.`,
].join(' ')

export type SharedParameter = keyof ReturnType<typeof sharedParameters>

const oneTag = '"1-abc"'
const exampleHttpDate = 'Sat, 31 Jan 2026 09:30:00 GMT'
const where = 'Only if `Last-Modified` is known, and without ETag preconditions; an invalid HTTP date is ignored.'

/** RFC 9110, 13.1.1. */
const tags = '^(\\*|(W/)?"[!#-~]*"( ?, ?(W/)?"[!#-~]*")*)$'

/** The second id in the path of a link. */
export function linkedIdParameter(field: LinksField): OpenapiObject {
  const { to } = field
  const typed = to.kind === 'abstract' ? ', alone or as `Type:id`' : ''
  const pattern = to.kind === 'abstract' ? '^([A-Za-z_][A-Za-z0-9_]*:)?[A-Za-z0-9_-]{1,64}$' : idSchema.pattern
  return {
    name: linkedIdName(field),
    in: 'path',
    required: true,
    description: `The id of the linked ${to.name}${typed}.`,
    schema: { type: 'string', pattern, 'x-references': to.name },
  }
}

/** The values of a unique key in the path. */
export function keyParameters(key: PathKey): OpenapiObject[] {
  return key.map(({ field }) => ({
    name: field.name,
    in: 'path',
    required: true,
    description: field.description ?? `\`${field.name}\` of the row.`,
    schema:
      field.kind === 'stored' ? storedSchema(keyType(field), 'write') : { ...idSchema, 'x-references': field.to.name },
    ...(isReadRestricted(field) && { 'x-ruled': true }),
  }))
}

/** Of a create: the unique key by which it finds a row that is there already. Empty: the type has none. */
export function conflictParameters(of: Resource | Abstract): OpenapiObject[] {
  const keys = of.kind === 'resource' ? uniqueKeysOf(of) : []
  if (keys.length === 0) return []
  const names = keys.map(({ fields }) => fields.map(({ name }) => name).join())
  const about = 'A unique key: a row that has the same is changed in the place of a create.'
  return [query(conflictParameter, about, { type: 'string', enum: names })]
}

/** What a row's id may be (plan/ids.ts). */
const idSchema: OpenapiObject = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' }

/** The parameters that differ for each type. */
export function typeParameters(of: Resource | Abstract, profile: OpenapiProfile): NamedParameter[] {
  return [
    [`${of.name}.where`, whereParameter(of)],
    [`${of.name}.sort`, sortParameter(of, profile === 'full' && hasAggregates(of))],
    [`${of.name}.fields`, fieldsParameter(of)],
    ...searchParameter(of),
  ]
}

function whereParameter(of: Resource | Abstract): OpenapiObject {
  return {
    name: 'where',
    in: 'query',
    description: 'A filter as in GraphQL, in JSON.',
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${of.name}.where` } } },
  }
}

/** Only if a field is searched. A viewer who can read none of them has no such parameter (R114). */
function searchParameter(of: Resource | Abstract): NamedParameter[] {
  const fields = searchedFields(of)
  if (fields.length === 0) return []
  const names = [...new Set(fields.map(({ name }) => `\`${name}\``))].join(', ')
  const description = `Words that a row must contain in ${names}; the last one is a prefix. Case and accents are ignored.`
  const ruled = fields.every(isReadRestricted)
  const schema = { type: 'string', maxLength: maxSearchLength }
  return [[`${of.name}.search`, { ...query('search', description, schema), 'x-ruled': ruled ? true : undefined }]]
}

function sortParameter(of: Resource | Abstract, isGrouped: boolean): OpenapiObject {
  const keys = withAliases([...of.fields.values()].filter(isSortable)).flatMap(({ name }) => [name, `-${name}`])
  const names = keys.length === 0 ? { type: 'string' } : { type: 'string', enum: keys }
  const example = sortPathExample(of)
  const description = [
    'Fields to sort by, `-` for descending; each field once. The default is the id.',
    ...(example === null ? [] : [`Also by a path to another row, or by the number of rows in a list: \`${example}\`.`]),
  ].join(' ')
  const patterns = [...(example === null ? [] : [sortPathPattern]), ...(isGrouped ? [groupSortPattern] : [])]
  if (patterns.length === 0) return list('sort', description, names)
  return list('sort', description, { anyOf: [names, ...patterns.map((pattern) => ({ type: 'string', pattern }))] })
}

/** With `groupBy`: measures. */
const groupSortPattern = `^-?_(count|(${fieldMeasureNames.join('|')})\\.\\w+)$`
const sortPathPattern = '^-?\\w+(\\.\\w+)+$'

/** Null: the type refers to no other rows. */
function sortPathExample(of: Resource | Abstract): string | null {
  const fields = [...of.fields.values()]
  const list = fields.find(({ kind }) => kind === 'many' || kind === 'links')
  if (list !== undefined) return `-${list.name}.${countWord}`
  const reference = fields.find(({ kind }) => kind === 'reference' || kind === 'inverse')
  return reference === undefined ? null : `${reference.name}.id`
}

function fieldsParameter(of: Resource | Abstract): OpenapiObject {
  const example = [...of.fields.values()].filter(({ kind }) => kind === 'stored').slice(0, 2)
  const name = '[A-Za-z_][A-Za-z0-9_]*'
  const path = `^(:${name}\\.)?(${name}((:${name})?\\.${name})*((:${name})?\\.\\*)?|\\*)$`
  const ofType = typeExample(of)
  const description = [
    'The fields of the response, with dots for fields of other rows (`author.name`). It then has exactly these. `*` stands for those of the default response (`*,author.*`).',
    ...(ofType === null ? [] : [`A field that only one of several types has comes after its type: \`${ofType}\`.`]),
  ].join(' ')
  const names = example.length === 0 ? ['_version'] : example.map(({ name }) => name)
  return { ...list('fields', description, { type: 'string', pattern: path, maxLength: 1000 }), example: names }
}

/** A path with a type: of the row itself, or of one that it refers to. Null: there are no rows of several types. */
function typeExample(of: Resource | Abstract): string | null {
  const found = [['', of] as const, ...[...of.fields.values()].map((field) => [field.name, targetOf(field)] as const)]
  for (const [path, to] of found) {
    if (to?.kind !== 'abstract') continue
    for (const { name, fields } of to.members) {
      const own = [...fields.values()].find((field) => field.kind === 'stored' && !to.fields.has(field.name))
      if (own !== undefined) return `${path}:${name}.${own.name}`
    }
  }
  return null
}

function targetOf(field: Field): Resource | Abstract | null {
  return field.kind === 'stored' ? null : field.to
}

/** Filters by the type of a row. */
function typeFilters(of: Abstract): NamedParameter[] {
  const key = typeKey(of)
  return typeOperators.map((operator): NamedParameter => {
    const schema = typeOperand(of, operator)
    const name = operator === 'eq' ? key : `${key}[${operator}]`
    const description = typeDescriptions[operator]
    return [
      `${of.name}.${key}.${operator}`,
      schema.type === 'array'
        ? list(name, description, schema.items as OpenapiObject)
        : query(name, description, schema),
    ]
  })
}

const typeDescriptions: Record<TypeOperator, string> = {
  eq: 'The row is of this type.',
  ne: 'The row is of another type.',
  in: 'The row is of one of these types.',
  notIn: 'The row is of none of these types.',
}

export function filterParameters(of: Resource | Abstract, model: Model): NamedParameter[] {
  const found = withAliases([...of.fields.values()].filter((field) => !isOpaque(field))).flatMap((field) =>
    fieldFilters(of, field),
  )
  if (of.kind === 'abstract') found.push(...typeFilters(of))
  if (mayBeAccount(of, model)) {
    const description = "Whether the row is the viewer's own account."
    found.push([`${of.name}.isViewer.eq`, query('isViewer', description, { type: 'boolean' })])
  }
  return found
}

const id: StoredType = { kind: 'scalar', name: 'ID' }

function fieldFilters(of: Resource | Abstract, field: Field): NamedParameter[] {
  const { name } = field
  const marks: OpenapiObject = {
    deprecated: field.deprecated === null ? undefined : true,
    // A viewer who can never read it has no such filter (R29).
    'x-ruled': isReadRestricted(field) ? true : undefined,
  }
  switch (field.kind) {
    case 'stored':
      return isIdOfRow(field, of)
        ? leafFilters(of.name, name, id, operatorsOf(id), marks, true)
        : storedFilters(of.name, name, field.type, marks, [])
    case 'reference':
    case 'inverse':
      return leafFilters(of.name, name, id, operatorsOf(id), marks, true)
    case 'many':
    case 'links': {
      const known = operatorsOf(id).filter((operator) => operator !== 'isNull')
      return leafFilters(of.name, name, id, known, marks, true)
    }
    default:
      return unreachable(field)
  }
}

/** A value type has the filters of its members; recursion stops at a type that contains itself. */
function storedFilters(
  owner: string,
  path: string,
  type: StoredType,
  marks: OpenapiObject,
  within: readonly ValueType[],
): NamedParameter[] {
  const own = leafFilters(owner, path, type, operatorsOf(type), marks)
  if (type.kind !== 'value' || within.includes(type.value)) return own
  const { value } = type
  const members = withAliases(value.fields.values()).flatMap((field) => {
    const deprecated = field.deprecated === null ? marks.deprecated : true
    return storedFilters(owner, `${path}.${field.name}`, field.type, { ...marks, deprecated }, [...within, value])
  })
  return [...own, ...members]
}

function leafFilters(
  owner: string,
  path: string,
  type: StoredType,
  known: readonly FilterOperator[],
  marks: OpenapiObject,
  isRowId = false,
): NamedParameter[] {
  return known.map((operator): NamedParameter => {
    const bare = operator === 'eq' && !(parameterNames as readonly string[]).includes(path)
    const name = bare ? path : `${path}[${operator}]`
    return [`${owner}.${path}.${operator}`, { ...operandParameter(name, operator, type, isRowId), ...marks }]
  })
}

function operandParameter(name: string, operator: FilterOperator, type: StoredType, isRowId: boolean): OpenapiObject {
  const { description, operand } = operatorOf(operator)
  const schema = operandSchema(operator, type, isRowId)
  if (operand === 'list' || operand === 'range') {
    const isAny = takesAnyText(type) && !(isRowId && operand === 'list')
    const items = isAny ? noComma : (schema.items as OpenapiObject)
    return list(name, description, items, operand === 'list' ? [1, 1000] : [2, 2])
  }
  if (operand !== 'flag' && readAsJson(type, operator)) {
    return { name, in: 'query', description, content: { 'application/json': { schema } } }
  }
  const example = isRowId ? exampleId : exampleValue(type)
  return { ...query(name, description, schema), example: operator === 'eq' ? example : undefined }
}

const exampleId = '019a9b2e-5f0c-7d3a-8c41-2b6f0e9d7a15'

/** Whether request/text-value.ts parses the text as JSON. */
function readAsJson(type: StoredType, operator: FilterOperator): boolean {
  if (type.kind === 'list') return operator !== 'contains' || readAsJson(type.of, operator)
  return type.kind === 'custom'
}

/** An item with a comma needs `where`. */
const noComma: OpenapiObject = { type: 'string', pattern: '^[^,]*$' }

function takesAnyText(type: StoredType): boolean {
  return type.kind === 'custom' || isText(type)
}

function query(name: string, description: string, schema: OpenapiObject): OpenapiObject {
  return { name, in: 'query', description, schema }
}

function list(
  name: string,
  description: string,
  items: OpenapiObject,
  [minItems, maxItems]: [number, number?] = [1],
): OpenapiObject {
  const schema = { type: 'array', items, minItems, maxItems }
  return { name, in: 'query', description, style: 'form', explode: false, schema }
}

function header(name: string, description: string, example: string, pattern?: string): OpenapiObject {
  return { name, in: 'header', description, schema: { type: 'string', pattern }, example }
}

/** For event streams of services with accounts. */
export const ticketParameter: OpenapiObject = {
  name: 'ticket',
  in: 'query',
  description: 'A ticket from `POST /tokens` with `{"for": "stream"}`, for a stream without an authorization header.',
  schema: { type: 'string' },
}
