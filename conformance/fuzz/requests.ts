// Generates one request of an operation: valid by the document, or with one mistake.

import { printCsv } from './csv.ts'
import { type ApiDocument, anyType, type Operation, type Parameter, type Schema } from './openapi-document.ts'
import type { Random } from './random.ts'
import type { Ids, Values } from './values.ts'
import { toXml } from './xml.ts'

export interface FuzzRequest {
  operation: Operation
  method: string
  /** With the query. */
  target: string
  headers: Record<string, string>
  body: string | undefined
  /** The only media type that it accepts; null when it names none. */
  accept: string | null
  /** The mistake in it; null when there is none. */
  wrong: string | null
  /** Whether the server may still refuse it with 400, for reasons that the document can only describe in words. */
  loose: boolean
}

interface Making {
  document: ApiDocument
  random: Random
  values: Values
  ids: Ids
  /** The entity tags of earlier reads, by path. */
  tags: (path: string) => string | undefined
  /** The target at which two rows were just linked, by the path of the operation. */
  linked: (path: string) => string | undefined
  /** Rows of earlier answers, by the name of their type. */
  rows: (type: string) => readonly Record<string, unknown>[]
}

const formType = 'multipart/form-data'

export function makeRequest(operation: Operation, making: Making): FuzzRequest {
  const { random } = making
  const spoil = random.chance(0.4) ? random.one(['parameter', 'id', 'body', 'type', 'header', 'bytes']) : null
  const request: FuzzRequest = {
    operation,
    method: operation.method,
    target: '',
    headers: {},
    body: undefined,
    accept: null,
    wrong: null,
    loose: false,
  }
  request.loose = isBulkWrite(operation) || namesFile(operation)
  addBody(request, spoil, making)
  addAccept(request, random)
  addParameters(request, spoil, making)
  if (spoil === 'header' && request.wrong === null) spoilHeader(request, random)
  return request
}

/** It needs a filter, or `all`; the end of sessions needs `current` or `all`. */
function isBulkWrite({ parameters }: Operation): boolean {
  return parameters.some(({ name }) => name === 'dryRun' || name === 'current')
}

/** The names of the schema files are not public, so the document does not list them. */
function namesFile({ path }: Operation): boolean {
  return path === '/docs/schema/changes'
}

/** Any bytes are a valid file. */
function addBytes(request: FuzzRequest, type: string, random: Random): void {
  const bytes = random.one(['', 'text', '{"a":1}', '<b>', '\u0000\r\n--x\r\n'])
  const isForm = type === formType
  const head = 'Content-Disposition: form-data; name="file"; filename="a.txt"'
  request.headers['content-type'] = isForm ? `${formType}; boundary=limit` : random.one(['image/png', 'text/html', 'x'])
  request.body = isForm ? `--limit\r\n${head}\r\n\r\n${bytes}\r\n--limit--\r\n` : bytes
}

function addBody(request: FuzzRequest, spoil: string | null, { random, values, document }: Making): void {
  const { bodies } = request.operation
  if (bodies.size === 0) return
  const areRecords = random.chance(0.2) // their answers are lists, without a tag
  const [type, expected] = random.one(
    [...bodies].filter(([name, { 'x-itemSchema': row }]) =>
      row === undefined
        ? !(areRecords && bodies.has('text/csv'))
        : areRecords && (name !== 'text/csv' || spoil !== 'body'),
    ),
  )
  if (type === anyType || type === formType) {
    addBytes(request, type, random)
    return
  }
  const row = expected['x-itemSchema'] // of a body with a record for each row
  const schema = values.way(row ?? expected)
  const print = (value: unknown) => {
    if (type === 'text/csv') return printCsv(value)
    return type.endsWith('xml') ? toXml(value, schema, document) : JSON.stringify(value)
  }
  request.headers['content-type'] = type
  if (spoil === 'body') {
    const { value, how } = values.spoiled(schema)
    request.body = print(value)
    // The body of a write by a key may leave the key out.
    const mayBeMissing = how === 'missing member' && request.operation.path.includes('={')
    if (mayBeMissing) request.loose = true
    else request.wrong = how
    return
  }
  const isPatch = type === 'application/json-patch+json'
  const value = isPatch ? values.patch(bodies.get('application/merge-patch+json') ?? {}) : values.valid(schema)
  request.body = print(value)
  if (type === 'application/x-ndjson' && random.chance(0.5)) request.body += `\n\r\n${print(values.valid(schema))}\n`
  request.loose ||= isPatch || mayLack(value, schema, request, document)
  if (spoil === 'type') {
    request.headers['content-type'] = random.one(['text/plain', 'application/json; charset=latin1', 'x', ''])
    request.wrong = 'content type'
  }
  if (spoil === 'bytes') {
    request.body = random.one(['', '{', '{"a":1}}', '\u0000', 'NaN', `${'['.repeat(200)}${']'.repeat(200)}`])
    request.wrong = 'no JSON'
  }
}

/** A viewer without an account must name the owner of a row; immutable fields must not change; and a merge patch that creates must
 *  be complete. */
function mayLack(value: unknown, unresolved: Schema, request: FuzzRequest, document: ApiDocument): boolean {
  const { properties = {}, items } = document.schema(unresolved)
  if (Array.isArray(value)) return value.some((item) => mayLack(item, items ?? {}, request, document))
  return Object.entries(properties).some(([name, member]) => {
    const output = Object.hasOwn(Object(value), name) ? (value as Record<string, unknown>)[name] : undefined
    if (output === undefined) return member['x-viewer'] === true
    return member['x-immutable'] === true || (request.method === 'PATCH' && typeof output === 'object')
  })
}

function addAccept(request: FuzzRequest, random: Random): void {
  const { answers } = request.operation
  const available = [...(answers.get(200) ?? answers.get(201) ?? new Map<string, string>()).keys()]
  const types = available.filter((type) => type !== 'text/event-stream') // an endless stream
  if (types.length < 2 || random.chance(0.5)) return
  request.accept = random.one(types)
  request.headers.accept = request.accept
}

function addParameters(request: FuzzRequest, spoil: string | null, making: Making): void {
  const { operation } = request
  const { random, values, ids, tags, linked, rows } = making
  const known = rows(operation.tag)
  const row = known.length === 0 ? undefined : random.one(known)
  const { tag } = operation
  let { path } = operation
  const query: string[] = []
  for (const parameter of operation.parameters) {
    const schema = parameter.schema ?? Object.values(parameter.content ?? {})[0]!.schema
    if (parameter.in === 'path') {
      path = path.replace(`{${parameter.name}}`, encodeURIComponent(pathValue(parameter, schema)))
      request.loose ||= parameter['x-ruled'] === true
    } else if (parameter.required || random.chance(share(operation, parameter))) {
      const value = isTagged(parameter) && random.chance(0.6) ? tags(path) : undefined
      const any = parameter.example !== undefined && random.chance(0.5) ? parameter.example : values.valid(schema)
      if (parameter.in === 'header') request.headers[parameter.name.toLowerCase()] = headerText(value ?? any)
      else query.push(`${encodeURIComponent(parameter.name)}=${encodeURIComponent(textOf(any, parameter, schema))}`)
      request.loose ||= mayBeRefused(parameter)
    }
  }
  if (operation.method === 'DELETE' && spoil === null) path = linked(operation.path) ?? path
  if (spoil === 'parameter') {
    query.push(random.one(['nosuch=1', 'id[nosuch]=1', '%ff=1', 'x[=1', '__proto__=1', 'limit=x&limit=y', '[]=1']))
    request.wrong ??= 'parameter'
  }
  request.target = path + (query.length === 0 ? '' : `?${query.join('&')}`)

  function pathValue(parameter: Parameter, schema: Schema): string {
    if (operation.path.includes(`${parameter.name}={`)) return keyValue(parameter, schema)
    return schema['x-references'] === undefined ? idFor(request) : String(values.valid(schema))
  }

  /** The key of a body must be that of the path, which no schema can say. */
  function keyValue({ name }: Parameter, schema: Schema): string {
    request.loose ||= request.body !== undefined
    const sent = memberOf(request.body, name)
    if (sent !== undefined && random.chance(0.8)) return sent
    const known = row?.[name]
    return known === undefined || known === null || random.chance(0.2) ? String(values.valid(schema)) : String(known)
  }

  function idFor({ method }: FuzzRequest): string {
    const known = ids(tag)
    if (spoil === 'id') {
      request.wrong ??= 'id'
      return random.one(['no such', '../..', 'x'.repeat(65), '\u0000', 'é', '%'])
    }
    const fresh = known.length === 0 || random.chance(method === 'PUT' ? 0.4 : 0.1)
    if (fresh) request.loose ||= method === 'PUT' // it would create the row, for which more fields are required
    return fresh ? `fresh-${random.between(0, 1e6)}` : random.one(known)
  }
}

/** A member of a body in JSON, as text. */
function memberOf(body: string | undefined, name: string): string | undefined {
  if (body === undefined || !body.startsWith('{')) return undefined
  try {
    const value = (JSON.parse(body) as Record<string, unknown>)[name]
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
  } catch {
    return undefined
  }
}

function isTagged({ name }: Parameter): boolean {
  return name === 'If-Match' || name === 'If-None-Match'
}

/** Each filter is rare, since there are many; a range, which one operation has, is frequent. */
function share({ parameters }: Operation, { in: place, name }: Parameter): number {
  if (name === 'Range') return 0.8
  if (name === 'timeZone') return 0 // a filter of a field, unless there is groupBy
  return place === 'header' ? 0.2 : Math.min(0.5, 2.5 / parameters.length)
}

/** Paging parameters exclude each other, cursors come from earlier pages, filters have a maximum depth, the key of `onConflict`
 *  must be in the body, and settings say which sizes of images there are. */
function mayBeRefused({ name, content, 'x-ruled': ruled }: Parameter): boolean {
  return (
    content !== undefined ||
    ruled === true ||
    [
      'as', // names roles and accounts
      'of', // names a route or an operation that was requested
      'request', // names one that was recorded
      'words', // has at most ten
      'all', // excludes `current`
      'account', // needs one of them
      'limit',
      'offset',
      'first',
      'after',
      'Last-Event-ID',
      'sort',
      'distinct',
      'groupBy',
      'fields',
      'search',
      'query',
      'ticket',
      'onConflict',
      'width',
      'height',
      'fit',
      'format',
    ].includes(name)
  )
}

function textOf(value: unknown, { content }: Parameter, { type }: Schema): string {
  if (content !== undefined) return JSON.stringify(value)
  return type === 'array' && Array.isArray(value) ? value.join(',') : String(value)
}

/** A header is one line of Latin-1. */
function headerText(value: unknown): string {
  return String(value).replace(/[^\x20-\x7e]/g, '?')
}

function spoilHeader(request: FuzzRequest, random: Random): void {
  const [name, value] = random.one([
    ['accept', 'text/css'],
    ['accept', ';;;'],
    ['if-match', 'no tag'],
    ['if-none-match', '"a", W/"b", *'],
    ['prefer', 'count=exact; wait=,,'],
    ['authorization', 'Bearer nonsense'],
    ['authorization', 'Basic Zm9vOmJhcg=='],
  ])
  request.headers[name!] = value!
  if (name === 'accept') request.accept = null
  request.wrong = 'perhaps a header' // an operation with one media type may ignore it
}
