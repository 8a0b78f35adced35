// Query parameters and request headers. A collection's filters are one parameter for each field and operator, in the
// words of the request (`createdAt[gte]`); ways through references are told in words, and whole in `where`.

import { unreachable } from '#base'
import {
  type Abstract,
  type Field,
  type LinksField,
  type Model,
  mayBeAccount,
  type Resource,
  type StoredType,
  searchedFields,
  type ValueType,
  withAliases,
} from '#model'
import type { Limits } from '#plan'
import {
  defaultPageSize,
  type FilterOperator,
  isSortable,
  maxSearchLength,
  operatorDescriptions,
  operatorsOf,
} from '#plan/build'
import { exampleValue } from '#plan/explain'
import { parameterNames } from '../request/query-string.ts'
import { linkedIdName } from '../request/route.ts'
import type { OpenapiObject } from './json-parts.ts'
import { operandSchema } from './schemas/where-schemas.ts'

export type NamedParameter = [name: string, parameter: OpenapiObject]

export function parameterRef(name: string): OpenapiObject {
  return { $ref: `#/components/parameters/${name}` }
}

/** One line adds a header or a word that is the same everywhere. */
export function sharedParameters({ page }: Limits) {
  const most = page === 0 ? 2147483647 : page
  const size = { type: 'integer', minimum: 0, maximum: most, default: Math.min(defaultPageSize, most) }
  return {
    limit: query('limit', 'How many rows to give at most.', size),
    offset: query('offset', 'How many rows to pass over.', {
      type: 'integer',
      minimum: 0,
      maximum: 2147483647,
      default: 0,
    }),
    first: query(
      'first',
      'How many rows of a cursor page to give at most; not together with `limit` or `offset`.',
      size,
    ),
    after: query('after', 'Behind which row a cursor page begins: `endCursor` of the page before, as it was given.', {
      type: 'string',
    }),
    id: { name: 'id', in: 'path', required: true, description: 'The id of the row.', schema: idSchema },
    Prefer: header('Prefer', '`count=exact` asks for the number of all rows, in `X-Total-Count`.', 'count=exact'),
    'If-None-Match': header(
      'If-None-Match',
      'Tags that the client has: 304 when it is still one of them.',
      oneTag,
      tags,
    ),
    'If-Match': header('If-Match', 'The tags that what is read must have: 412 when it has another.', oneTag, tags),
    'If-Modified-Since': header('If-Modified-Since', `304 when it was not changed since. ${where}`, exampleHttpDate),
    'If-Unmodified-Since': header('If-Unmodified-Since', `412 when it was changed since. ${where}`, exampleHttpDate),
    'write.If-Match': header(
      'If-Match',
      'The `ETag` of the row as it was read, several, or `*` for any: 412 when it has another version now.',
      oneTag,
      tags,
    ),
    'write.If-None-Match': header(
      'If-None-Match',
      'Tags that the row must not have; `*`: there must be none yet. 412 otherwise.',
      oneTag,
      tags,
    ),
    'Idempotency-Key': header(
      'Idempotency-Key',
      'The same key and body give the first answer again, for a day: send it again when no answer came.',
      '8e03978e-40d5-43dd-bc93-6894a57f9324',
      '^("[ !#-\\[\\]-~]{1,255}"|[!#-~]{1,255})$',
    ),
  } satisfies Record<string, OpenapiObject>
}

export type SharedParameter = keyof ReturnType<typeof sharedParameters>

const oneTag = '"1-abc"'
const exampleHttpDate = 'Sat, 31 Jan 2026 09:30:00 GMT'
const where = 'Only where `Last-Modified` is known, and without tags; what is no HTTP date is not minded.'

/** RFC 9110, 13.1.1. */
const tags = '^(\\*|(W/)?"[!#-~]*"( ?, ?(W/)?"[!#-~]*")*)$'

/** The other end of a link. */
export function linkedIdParameter(field: LinksField): OpenapiObject {
  const { to } = field
  const typed = to.kind === 'abstract' ? ', alone or as `Type:id`' : ''
  const pattern = to.kind === 'abstract' ? '^([A-Za-z_][A-Za-z0-9_]*:)?[A-Za-z0-9_-]{1,64}$' : idSchema.pattern
  return {
    name: linkedIdName(field),
    in: 'path',
    required: true,
    description: `The id of the ${to.name} at the other end${typed}.`,
    schema: { type: 'string', pattern, 'x-references': to.name },
  }
}

/** What a row's id may be (plan/ids.ts). */
const idSchema: OpenapiObject = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' }

/** The words that each type has in its own way. */
export function typeParameters(of: Resource | Abstract): NamedParameter[] {
  return [
    [`${of.name}.where`, whereParameter(of)],
    [`${of.name}.sort`, sortParameter(of)],
    [`${of.name}.fields`, fieldsParameter(of)],
    ...searchParameter(of),
  ]
}

function whereParameter(of: Resource | Abstract): OpenapiObject {
  return {
    name: 'where',
    in: 'query',
    description: 'The whole filter of GraphQL, as JSON.',
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${of.name}.where` } } },
  }
}

/** Only where a field is searched. For who can read none of them, it is no parameter at all (R114). */
function searchParameter(of: Resource | Abstract): NamedParameter[] {
  const fields = searchedFields(of)
  if (fields.length === 0) return []
  const names = [...new Set(fields.map(({ name }) => `\`${name}\``))].join(', ')
  const said = `The words that a row must have in ${names}, the last one as a beginning; case and accents do not matter.`
  const ruled = fields.every(({ rules }) => rules.some(({ to }) => to.includes('READ')))
  const schema = { type: 'string', maxLength: maxSearchLength }
  return [[`${of.name}.search`, { ...query('search', said, schema), 'x-ruled': ruled ? true : undefined }]]
}

function sortParameter(of: Resource | Abstract): OpenapiObject {
  const keys = withAliases([...of.fields.values()].filter(isSortable)).flatMap(({ name }) => [name, `-${name}`])
  const items = keys.length === 0 ? { type: 'string' } : { type: 'string', enum: keys }
  return list('sort', 'By which fields, `-` for descending; by id when left out. A field stands in it once.', items)
}

function fieldsParameter(of: Resource | Abstract): OpenapiObject {
  const example = [...of.fields.values()].filter(({ kind }) => kind === 'stored').slice(0, 2)
  const way = '^[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)*$'
  const said = 'Exactly what to show, ways with dots (`author.name`): the answer then has this and nothing else.'
  const names = example.length === 0 ? ['_version'] : example.map(({ name }) => name)
  return { ...list('fields', said, { type: 'string', pattern: way, maxLength: 1000 }), example: names }
}

export function filterParameters(of: Resource | Abstract, model: Model): NamedParameter[] {
  const found = withAliases(of.fields.values()).flatMap((field) => fieldFilters(of, field))
  if (mayBeAccount(of, model)) {
    const said = "Whether it is the viewer's own account."
    found.push([`${of.name}.isViewer.eq`, query('isViewer', said, { type: 'boolean' })])
  }
  return found
}

const id: StoredType = { kind: 'scalar', name: 'ID' }

function fieldFilters(of: Resource | Abstract, field: Field): NamedParameter[] {
  const { name, rules } = field
  const marks: OpenapiObject = {
    deprecated: field.deprecated === null ? undefined : true,
    // For who can never read it, it is no field at all (R29).
    'x-ruled': rules.some(({ to }) => to.includes('READ')) ? true : undefined,
  }
  switch (field.kind) {
    case 'stored':
      return storedFilters(of.name, name, field.type, marks, [])
    case 'reference':
    case 'inverse':
      return leafFilters(of.name, name, id, operatorsOf(id), marks)
    case 'many':
    case 'links': {
      const known = operatorsOf(id).filter((operator) => operator !== 'isNull')
      return leafFilters(of.name, name, id, known, marks)
    }
    default:
      return unreachable(field)
  }
}

/** A value is compared by its members; one that holds itself is not followed for ever. */
function storedFilters(
  owner: string,
  way: string,
  type: StoredType,
  marks: OpenapiObject,
  within: readonly ValueType[],
): NamedParameter[] {
  const own = leafFilters(owner, way, type, operatorsOf(type), marks)
  if (type.kind !== 'value' || within.includes(type.value)) return own
  const { value } = type
  const members = withAliases(value.fields.values()).flatMap((field) => {
    const deprecated = field.deprecated === null ? marks.deprecated : true
    return storedFilters(owner, `${way}.${field.name}`, field.type, { ...marks, deprecated }, [...within, value])
  })
  return [...own, ...members]
}

function leafFilters(
  owner: string,
  way: string,
  type: StoredType,
  known: readonly FilterOperator[],
  marks: OpenapiObject,
): NamedParameter[] {
  return known.map((operator): NamedParameter => {
    const bare = operator === 'eq' && !(parameterNames as readonly string[]).includes(way)
    const name = bare ? way : `${way}[${operator}]`
    return [`${owner}.${way}.${operator}`, { ...operand(name, operator, type), ...marks }]
  })
}

function operand(name: string, operator: FilterOperator, type: StoredType): OpenapiObject {
  const said = operatorDescriptions[operator]
  const schema = operandSchema(operator, type)
  if (operator === 'in' || operator === 'notIn') {
    return list(name, said, takesAnyText(type) ? noComma : (schema.items as OpenapiObject), 1000)
  }
  if (operator !== 'isNull' && readAsJson(type, operator)) {
    return { name, in: 'query', description: said, content: { 'application/json': { schema } } }
  }
  return { ...query(name, said, schema), example: operator === 'eq' ? exampleValue(type) : undefined }
}

/** What plan/text-value.ts reads as JSON. */
function readAsJson(type: StoredType, operator: FilterOperator): boolean {
  if (type.kind === 'list') return operator !== 'contains' || readAsJson(type.of, operator)
  return type.kind === 'custom'
}

/** An item that holds a comma needs `where`. */
const noComma: OpenapiObject = { type: 'string', pattern: '^[^,]*$' }

function takesAnyText(type: StoredType): boolean {
  return type.kind === 'custom' || (type.kind === 'scalar' && (type.name === 'String' || type.name === 'ID'))
}

function query(name: string, description: string, schema: OpenapiObject): OpenapiObject {
  return { name, in: 'query', description, schema }
}

function list(name: string, description: string, items: OpenapiObject, maxItems?: number): OpenapiObject {
  const schema = { type: 'array', items, minItems: 1, maxItems }
  return { name, in: 'query', description, style: 'form', explode: false, schema }
}

function header(name: string, description: string, example: string, pattern?: string): OpenapiObject {
  return { name, in: 'header', description, schema: { type: 'string', pattern }, example }
}
