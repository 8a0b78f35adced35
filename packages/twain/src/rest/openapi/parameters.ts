// Query parameters and request headers. A collection's filters are one parameter for each field and operator, in the
// words of the request (`createdAt[gte]`); ways through references are told in words, and whole in `where`.

import { unreachable } from '#base'
import type { Abstract, Field, Model, Resource, StoredType, ValueType } from '#model'
import { defaultPageSize, type Limits, type Operator, operators, sortable } from '#plan'
import { words } from '../query-string.ts'
import { exampleValue } from './examples.ts'
import type { Parts } from './part.ts'
import { isAccount, operandSchema } from './where-schemas.ts'

export type NamedParameter = [name: string, parameter: Parts]

export function parameterRef(name: string): Parts {
  return { $ref: `#/components/parameters/${name}` }
}

/** One line adds a header or a word that is the same everywhere. */
export function sharedParameters({ page }: Limits): Record<SharedParameter, Parts> {
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
      'An `ETag` that the client has: 304 when it is still the same.',
      '"1-abc"',
    ),
    'If-Match': header(
      'If-Match',
      'The `ETag` of the row as it was read: 412 when it has another version now.',
      '"1-abc"',
    ),
  }
}

export type SharedParameter = 'limit' | 'offset' | 'first' | 'after' | 'id' | 'Prefer' | 'If-None-Match' | 'If-Match'

/** What a row's id may be (plan/ids.ts). */
const idSchema: Parts = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' }

/** The words that each type has in its own way. */
export function ownParameters(of: Resource | Abstract): NamedParameter[] {
  return [
    [`${of.name}.where`, whereParameter(of)],
    [`${of.name}.sort`, sortParameter(of)],
    [`${of.name}.fields`, fieldsParameter(of)],
  ]
}

function whereParameter(of: Resource | Abstract): Parts {
  return {
    name: 'where',
    in: 'query',
    description: 'The whole filter of GraphQL, as JSON.',
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${of.name}.where` } } },
  }
}

function sortParameter(of: Resource | Abstract): Parts {
  const keys = [...of.fields.values()].filter(sortable).flatMap(({ name }) => [name, `-${name}`])
  const items = keys.length === 0 ? { type: 'string' } : { type: 'string', enum: keys }
  return list('sort', 'By which fields, `-` for descending; by id when left out. A field stands in it once.', items)
}

function fieldsParameter(of: Resource | Abstract): Parts {
  const example = [...of.fields.values()].filter(({ kind }) => kind === 'stored').slice(0, 2)
  const way = '^[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)*$'
  const said = 'Exactly what to show, ways with dots (`author.name`): the answer then has this and nothing else.'
  const names = example.length === 0 ? ['_version'] : example.map(({ name }) => name)
  return { ...list('fields', said, { type: 'string', pattern: way, maxLength: 1000 }), example: names }
}

export function filterParameters(of: Resource | Abstract, model: Model): NamedParameter[] {
  const found = [...of.fields.values()].flatMap((field) => fieldFilters(of, field))
  if (isAccount(of, model)) {
    const said = "Whether it is the viewer's own account."
    found.push([`${of.name}.isViewer.eq`, query('isViewer', said, { type: 'boolean' })])
  }
  return found
}

const id: StoredType = { kind: 'scalar', name: 'ID' }

function fieldFilters(of: Resource | Abstract, field: Field): NamedParameter[] {
  const { name, rules } = field
  const marks: Parts = {
    deprecated: field.deprecated === null ? undefined : true,
    // For who can never read it, it is no field at all (R29).
    'x-ruled': rules.some(({ to }) => to.includes('READ')) ? true : undefined,
  }
  switch (field.kind) {
    case 'stored':
      return storedFilters(of.name, name, field.type, marks, [])
    case 'reference':
    case 'inverse':
      return leafFilters(of.name, name, id, operators(id), marks)
    case 'many':
    case 'links': {
      const known = operators(id).filter((operator) => operator !== 'isNull')
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
  marks: Parts,
  within: readonly ValueType[],
): NamedParameter[] {
  const own = leafFilters(owner, way, type, operators(type), marks)
  if (type.kind !== 'value' || within.includes(type.value)) return own
  const { value } = type
  const members = [...value.fields.values()].flatMap((field) => {
    const deprecated = field.deprecated === null ? marks.deprecated : true
    return storedFilters(owner, `${way}.${field.name}`, field.type, { ...marks, deprecated }, [...within, value])
  })
  return [...own, ...members]
}

function leafFilters(
  owner: string,
  way: string,
  type: StoredType,
  known: readonly Operator[],
  marks: Parts,
): NamedParameter[] {
  return known.map((operator): NamedParameter => {
    const bare = operator === 'eq' && !(words as readonly string[]).includes(way)
    const name = bare ? way : `${way}[${operator}]`
    return [`${owner}.${way}.${operator}`, { ...operand(name, operator, type), ...marks }]
  })
}

function operand(name: string, operator: Operator, type: StoredType): Parts {
  const said = meaning[operator]
  const schema = operandSchema(operator, type)
  if (operator === 'in' || operator === 'notIn') {
    return list(name, said, takesAnyText(type) ? noComma : (schema.items as Parts), 1000)
  }
  if (operator !== 'isNull' && readAsJson(type, operator)) {
    return { name, in: 'query', description: said, content: { 'application/json': { schema } } }
  }
  return { ...query(name, said, schema), example: operator === 'eq' ? exampleValue(type) : undefined }
}

/** What plan/text-value.ts reads as JSON. */
function readAsJson(type: StoredType, operator: Operator): boolean {
  if (type.kind === 'list') return operator !== 'contains' || readAsJson(type.of, operator)
  return type.kind === 'custom'
}

/** An item that holds a comma needs `where`. */
const noComma: Parts = { type: 'string', pattern: '^[^,]*$' }

function takesAnyText(type: StoredType): boolean {
  return type.kind === 'custom' || (type.kind === 'scalar' && (type.name === 'String' || type.name === 'ID'))
}

const meaning: Record<Operator, string> = {
  eq: 'Is this.',
  ne: 'Is not this; also where there is no value.',
  in: 'Is one of these.',
  notIn: 'Is none of these; also where there is no value.',
  lt: 'Is less than this.',
  lte: 'Is this or less.',
  gt: 'Is more than this.',
  gte: 'Is this or more.',
  contains: 'Holds this.',
  startsWith: 'Begins with this.',
  endsWith: 'Ends with this.',
  isNull: 'Whether there is no value.',
}

function query(name: string, description: string, schema: Parts): Parts {
  return { name, in: 'query', description, schema }
}

function list(name: string, description: string, items: Parts, maxItems?: number): Parts {
  const schema = { type: 'array', items, minItems: 1, maxItems }
  return { name, in: 'query', description, style: 'form', explode: false, schema }
}

function header(name: string, description: string, example: string): Parts {
  return { name, in: 'header', description, schema: { type: 'string' }, example }
}
