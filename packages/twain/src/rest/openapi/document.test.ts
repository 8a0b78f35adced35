import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCpuTimer } from '#cpu-time'
import { loadModel } from '#model'
import { defaultLimits } from '#plan'
import { blog } from '../blog.fixture.ts'
import { Router } from '../request/route.ts'
import { openapiText } from './document.ts'
import type { DocumentView, OperationView, ParameterView, SchemaView } from './page/document-view.ts'
import { resolve } from './page/html.ts'

const document = documentOf(blog)

test('R90: the document has every path and method of the router', () => {
  for (const { key, methods } of new Router(blog).routes()) {
    const there = Object.keys(document.paths[`/${key}`] ?? {}).filter((name) => name !== 'parameters')
    const expected = methods.filter((method) => method !== 'HEAD' && method !== 'OPTIONS')
    assert.deepEqual(there.map((method) => method.toUpperCase()).sort(), [...expected].sort(), key)
  }
  for (const path of ['/graphql', '/healthz', '/readyz', '/metrics', '/openapi.json', '/docs'])
    assert.ok(document.paths[path], path)
  assert.equal(document.paths['/tokens'], undefined)
})

test('R100, R105: the document has files if a field has the type File', () => {
  const open = documentOf(loadModel('type Paper { id: ID! scan: File more: [File!]! }', 'x.graphql'))
  const upload = operation('/files', 'post', open)
  assert.deepEqual(Object.keys(upload.requestBody?.content ?? {}), ['multipart/form-data', '*/*'])
  const statuses = Object.keys(operation('/files/{id}', 'get', open).responses)
  for (const status of [200, 206, 304, 400, 401, 404, 416, 503]) assert.ok(statuses.includes(String(status)))
  const choice = open.components.schemas['File.choice']
  assert.deepEqual(Object.keys(choice?.properties ?? {}), ['id', 'name', 'mediaType', 'size', 'url'])
  const listed = parametersOf('/papers/{id}/more', 'get', open).map(({ name }) => name)
  for (const name of ['fields', 'sort', 'where', 'size[gt]', 'first']) assert.ok(listed.includes(name), name)
  assert.ok(open.components.schemas['File.connection'])
  assert.equal(document.paths['/files'], undefined)
  const graphql = (of: typeof open) => Object.keys(operation('/graphql', 'post', of).requestBody?.content ?? {})
  assert.deepEqual(graphql(open), ['application/json', 'multipart/form-data'])
  assert.deepEqual(graphql(document), ['application/json'])
})

test('R118: a parameter of a custom operation allows null only inside JSON', () => {
  const sdl =
    'type A { id: ID! } enum E { X } input I { n: Int } type Query { x(e: E = X, l: [E], i: I, none: Int = null): Int }'
  const own = documentOf(loadModel(sdl, 'x.graphql'))
  const parameters = Object.fromEntries(parametersOf('/x', 'get', own).map((each) => [each.name, each.schema]))
  assert.deepEqual(parameters.e, { $ref: '#/components/schemas/E', default: 'X' })
  assert.deepEqual(parameters.l?.items?.$ref, '#/components/schemas/E')
  assert.equal(parameters.none?.type, 'integer')
  assert.equal(parameters.i, undefined, 'it is JSON')
})

test('R107: an upload needs a token unless a rule lets everyone write a file field; URLs are signed', () => {
  const account = 'type User @account @allow(to: [READ]) { id: ID! email: String! @unique }'
  const paper = (who: string) => `${account} type Paper @allow(who: "${who}") { id: ID! scan: File }`
  const closed = documentOf(loadModel(paper('signedIn'), 'x.graphql'))
  const open = documentOf(loadModel(paper('anyone'), 'x.graphql'))
  assert.deepEqual(operation('/files', 'post', closed).security, [{ bearer: [] }])
  assert.deepEqual(operation('/files', 'post', open).security, [{}, { bearer: [] }])
  assert.ok(parametersOf('/files/{id}', 'get', closed).some(({ name }) => name === 'signature'))
})

test('R90: the same schema has the same text, and another schema another version', () => {
  assert.equal(openapiText(blog, defaultLimits, 'full'), openapiText(blog, defaultLimits, 'full'))
  const other = documentOf(loadModel('type Post { id: ID! }', 'x.graphql'))
  assert.notEqual(other.info.version, document.info.version)
  assert.match(document.info.version, /^[0-9a-f]{12}$/)
})

test('R90: every filter of a field is a parameter with its name in requests', () => {
  const names = parametersOf('/posts', 'get').map(({ name }) => name)
  const expected = [
    'title',
    'title[contains]',
    'status[in]',
    'createdAt[gte]',
    'author',
    'author[isNull]',
    'tags[in]',
    'labels[contains]',
    'where[startsWith]', // the field
    'sort[eq]', // the field
    'sort', // the reserved parameter
  ]
  for (const name of expected) assert.ok(names.includes(name), name)
  assert.ok(!names.includes('tags[isNull]'))
  assert.equal(new Set(names).size, names.length)
  assert.ok(parametersOf('/users', 'get').some(({ name }) => name === 'address.country.code[ne]'))
})

test('R37, R38: lists have groups, in JSON, XML, NDJSON and CSV; types of the server itself have none', () => {
  const sdl = `enum S { A B } type Shop { id: ID! name: String! at: DateTime sales: [Sale!]! }
    type Sale { id: ID! price: Decimal n: Int s: S shop: Shop timeZone: String hidden: Int @allow(role: "admin") }`
  const own = documentOf(loadModel(sdl, 'x.graphql'))
  const names = (path: string) => parametersOf(path, 'get', own).map(({ name }) => name)
  assert.deepEqual(
    names('/shops').filter((name) => name === 'groupBy' || name === 'timeZone'),
    ['groupBy', 'timeZone'],
  )
  assert.equal(names('/sales').filter((name) => name === 'timeZone').length, 1, 'the filter of the field')
  assert.ok(names('/shops/{id}/sales').includes('groupBy'))
  assert.ok(!names('/webhooks').includes('groupBy'))
  const content = operation('/sales', 'get', own).responses[200]!.content!
  for (const type of ['application/json', 'application/xml']) {
    const elements = content[type]!.schema!.anyOf!.map(({ xml }) => (xml as { name: string }).name)
    assert.deepEqual(elements, ['sales', 'saleConnection', 'saleGroups', 'saleAggregate'])
  }
  assert.match(JSON.stringify(content['application/x-ndjson']), /Sale.group/)
  assert.match(JSON.stringify(content['text/csv']), /groupBy/)
  const group = own.components.schemas['Sale.group']!.properties!
  assert.deepEqual(Object.keys(group), ['key', 'count', 'countDistinct', 'sum', 'avg', 'min', 'max'])
  const sums = group.sum!.properties!
  assert.deepEqual(Object.keys(sums), ['price', 'n', 'hidden'])
  assert.deepEqual(sums.n!.type, ['string', 'null'])
  assert.deepEqual(Object.keys(own.components.schemas['Sale.groupExtremes']!.properties!), [
    'price',
    'n',
    'timeZone',
    'hidden',
  ])
  const key = own.components.schemas['Sale.groupKey']!.properties!
  assert.equal(key.shop!.$ref, '#/components/schemas/Shop.groupKey')
  assert.deepEqual(own.components.schemas['Shop.groupKey']!.properties!.at!.type, ['string', 'null'])
  const [sort] = parametersOf('/sales', 'get', own).filter(({ name }) => name === 'sort')
  const patterns = sort!.schema!.items!.anyOf!.flatMap(({ pattern }) =>
    pattern === undefined ? [] : [new RegExp(String(pattern))],
  )
  for (const text of ['-_count', '_sum.price'])
    assert.ok(
      patterns.some((pattern) => pattern.test(text)),
      text,
    )
})

test('R110: search is a parameter if a field is searched', () => {
  const sdl = 'type A { id: ID! x: String @search bs: [B!]! } type B { id: ID! a: A y: String } union U = A | B'
  const searched = documentOf(loadModel(sdl, 'x.graphql'))
  const has = (path: string) => parametersOf(path, 'get', searched).find(({ name }) => name === 'search')
  assert.deepEqual(has('/as')?.schema, { type: 'string', maxLength: 500 })
  assert.ok(has('/us') !== undefined)
  assert.equal(has('/bs'), undefined)
  assert.equal(has('/as/{id}/bs'), undefined)
})

test('R68: types with @softDelete have restorations, with the failures of a body, deleted rows and purges', () => {
  const soft = documentOf(loadModel('type A @softDelete { id: ID! x: String @unique } type B { id: ID! }', 'x.graphql'))
  const { requestBody, responses } = operation('/as/{id}/restorations', 'post', soft)
  assert.equal(requestBody, undefined)
  for (const status of [200, 400, 404, 406, 409, 412, 413, 415]) assert.ok(responses[status], `${status}`)
  const has = (path: string, method: string, parameter: string) =>
    parametersOf(path, method, soft).some(({ name }) => name === parameter)
  assert.deepEqual([has('/as', 'get', 'deleted'), has('/bs', 'get', 'deleted')], [true, false])
  assert.deepEqual([has('/as/{id}', 'delete', 'purge'), has('/as/x={x}', 'delete', 'purge')], [true, true])
  assert.equal(soft.paths['/bs/{id}/restorations'], undefined)
})

test('R90: inputs of writes allow no other fields and list required ones; a nested create leaves out its owner', () => {
  const create = schemaOf('Post.create')
  assert.deepEqual(create.required, ['title', 'author'])
  assert.equal(create.additionalProperties, false)
  assert.equal(create.properties?.id, undefined)
  assert.equal(create.properties?.createdAt, undefined)
  assert.deepEqual(create.properties?.status?.default, 'DRAFT')
  assert.deepEqual(schemaOf('Post.create.in.author').required, ['title'])
  assert.equal(create.properties?.comments?.items?.$ref, '#/components/schemas/Comment.create.along.post')
  assert.deepEqual(schemaOf('Comment.create.along.post').required, ['body'])
  assert.equal(schemaOf('Comment.create.along.post').properties?.post, undefined)
  assert.equal(schemaOf('Post.replace').properties?.comments, undefined)
  assert.equal(schemaOf('Post.merge').required, undefined)
  assert.ok(schemaOf('Post.replace').properties?.createdAt)
})

test('R9, R90: the body of a PUT by a unique key need not repeat the key of the path', () => {
  const sdl = 'type Item { id: ID! list: String! @unique(with: "name") name: String! size: Int! code: Int @unique }'
  const items = documentOf(loadModel(sdl, 'x.graphql'))
  const bodyOf = (path: string): SchemaView => {
    const content = operation(path, 'put', items).requestBody!.content
    return resolve(content['application/json']!.schema!, items)
  }
  const byKey = bodyOf('/items/list={list},name={name}')
  assert.deepEqual(byKey.required, ['size'])
  assert.deepEqual(Object.keys(byKey.properties ?? {}).toSorted(), ['code', 'id', 'list', 'name', 'size'])
  assert.deepEqual(bodyOf('/items/{id}').required, ['list', 'name', 'size'])
})

test('R90: constraints are JSON Schema keywords, on writes only', () => {
  const sdl = `type A {
    id: ID!
    n: Int @constraint(min: 1, max: 9)
    text: String! @constraint(minLength: 2, pattern: "^[a-z]+$")
    words: [String!] @constraint(maxItems: 3, maxLength: 5)
    price: Decimal @constraint(min: 0)
  }`
  const { components } = documentOf(loadModel(sdl, 'x.graphql'))
  const { n, text, words, price } = components.schemas['A.create']!.properties!
  assert.deepEqual([n?.type, n?.minimum, n?.maximum], [['integer', 'null'], 1, 9])
  assert.deepEqual([text?.minLength, text?.maxLength, text?.pattern], [2, 1000, '^[a-z]+$'])
  assert.deepEqual([words?.maxItems, words?.items?.maxLength], [3, 5])
  assert.match(price?.description ?? '', /At least 0\./)
  assert.deepEqual(components.schemas.A!.properties!.n, { ...n, minimum: -2147483648, maximum: 2147483647 })
})

test('R90: rows of a union have their type, and exactly one member matches', () => {
  const found = schemaOf('Found')
  assert.deepEqual(found.discriminator, {
    propertyName: 'type',
    mapping: { Post: '#/components/schemas/Found.as.Post', User: '#/components/schemas/Found.as.User' },
  })
  assert.equal(schemaOf('Labelled').discriminator instanceof Object, true)
  assert.equal((schemaOf('Labelled').discriminator as { propertyName: string }).propertyName, '_type')
})

test('R90: a body is also an array, up to the size of a list, or a JSON patch', () => {
  const [one, several] = bodyOf('/posts', 'post', 'application/json').oneOf!
  assert.equal(one?.$ref, '#/components/schemas/Post.create')
  assert.deepEqual([several?.type, several?.minItems, several?.maxItems], ['array', 1, defaultLimits.bulk])
  const patch = bodyOf('/posts/{id}', 'patch', 'application/json-patch+json')
  assert.equal(resolve(patch, document).maxItems, defaultLimits.transaction)
})

test('R90: rows are JSON and XML, collections also streams; XML has the names of the responses', () => {
  const typesOf = (path: string, method: string, status: number) =>
    Object.keys(operation(path, method).responses[status]!.content!)
  assert.deepEqual(typesOf('/posts/{id}', 'get', 200), ['application/json', 'application/xml', 'text/xml'])
  assert.deepEqual(typesOf('/users/{id}/posts', 'get', 200).slice(3), ['application/x-ndjson', 'text/csv'])
  const { anyOf } = operation('/posts', 'get').responses[200]!.content!['application/xml']!.schema!
  assert.deepEqual(
    anyOf!.map(({ xml }) => xml),
    [
      { name: 'posts', wrapped: true },
      { name: 'postConnection' },
      { name: 'postGroups', wrapped: true },
      { name: 'postAggregate' },
    ],
  )
  const { content } = resolve(operation('/posts/{id}', 'get').responses[404]!, document)
  assert.deepEqual(Object.keys(content!), ['application/problem+json', 'application/problem+xml'])
})

test('R90: a link has two methods and the id of the linked row', () => {
  const path = document.paths['/posts/{id}/tags/{tagId}']!
  assert.deepEqual(Object.keys(path), ['parameters', 'put', 'delete'])
  const linked = path.parameters!.at(-1)!
  assert.deepEqual([linked.name, linked.schema?.['x-references']], ['tagId', 'Tag'])
  assert.ok(operation('/posts/{id}/tags/{tagId}', 'put').responses[204])
})

test('R90: preconditions by time exist for types with an update time', () => {
  const dated = documentOf(
    loadModel('type A { id: ID! at: DateTime! @auto(set: UPDATE_TIME) } type B { id: ID! }', 'x'),
  )
  const names = (path: string, method: string) => parametersOf(path, method, dated).map(({ name }) => name)
  assert.ok(names('/as/{id}', 'get').includes('If-Modified-Since'))
  assert.ok(names('/as/{id}', 'put').includes('If-Unmodified-Since'))
  assert.ok(!names('/bs/{id}', 'get').includes('If-Modified-Since'))
  assert.ok(operation('/as/{id}', 'get', dated).responses[304]!.headers!['Last-Modified'])
  assert.deepEqual(names('/bs/{id}', 'delete'), ['If-Match', 'If-None-Match', 'Idempotency-Key', 'Prefer'])
})

test('R90: every operation of the REST API has the headers and failures of the HTTP server', () => {
  for (const [path, method] of [
    ['/posts', 'get'],
    ['/posts/{id}', 'patch'],
    ['/graphql', 'post'],
    ['/docs', 'get'],
  ] as const) {
    const { responses } = operation(path, method)
    for (const status of [408, 414, 429, 431, 500, 503]) assert.ok(responses[status], `${path} ${status}`)
    const headers = Object.keys(responses[200]!.headers!)
    for (const name of ['RateLimit', 'RateLimit-Policy', 'Server-Timing', 'X-Request-Id'])
      assert.ok(headers.includes(name), name)
  }
})

test('R90: previous paths are deprecated and redirect', () => {
  const moved = documentOf(
    loadModel(
      'type Post @resource(was: ["articles"]) { id: ID! parts: [Part!]! } type Part { id: ID! post: Post! }',
      'x',
    ),
  )
  const statuses = (path: string, method: string) => Object.keys(operation(path, method, moved).responses)[0]
  assert.deepEqual(
    [statuses('/articles', 'get'), statuses('/articles', 'post'), statuses('/articles/{id}/parts', 'get')],
    ['301', '308', '301'],
  )
  assert.equal(operation('/articles/{id}', 'put', moved).deprecated, true)
})

test('R90: a state field has its state machine, and `fields` can choose its transitions', () => {
  const sdl = `type Door { id: ID! state: State note: String }
    enum State { SHUT @next(to: [OPEN], role: "porter", where: {note: {isNull: false}}) OPEN }`
  const { schemas } = documentOf(loadModel(sdl, 'x.graphql')).components
  const transitions = [{ from: 'SHUT', to: ['OPEN'], role: 'porter', where: { note: { isNull: false } } }]
  const state = schemas.Door?.properties?.state as unknown as { 'x-states': object }
  assert.deepEqual(state['x-states'], { start: 'SHUT', transitions })
  const written = schemas['Door.merge']?.properties?.state
  assert.match(written?.description ?? '', /- `SHUT` → `OPEN`: role porter, where note is not null/)
  assert.equal(schemas['Door.choice']?.properties?._stateTransitions?.items?.$ref, '#/components/schemas/State')
})

test('R91: operations that anonymous viewers can not use need a token; without rules there is no token and no 403', () => {
  const sdl = `
    type User @account @allow(to: [READ]) @allow(who: "self") { id: ID! email: String! @unique secret: String @allow(who: "self", to: [READ]) }
    type Note @allow(who: "signedIn") { id: ID! text: String! by: User! @auto(set: VIEWER) }`
  const ruled = documentOf(loadModel(sdl, 'x.graphql'))
  assert.deepEqual(operation('/notes', 'get', ruled).security, [{ bearer: [] }])
  assert.deepEqual(operation('/users', 'get', ruled).security, [{}, { bearer: [] }])
  assert.deepEqual(operation('/users/{id}', 'delete', ruled).security, [{ bearer: [] }])
  const confirmation = operation('/users/{id}', 'delete', ruled).requestBody! // R266
  assert.deepEqual(Object.keys(confirmation.content['application/json']!.schema!.properties!), ['currentPassword'])
  assert.equal(operation('/notes/{id}', 'delete', ruled).requestBody, undefined)
  assert.deepEqual(operation('/users/{id}/export', 'get', ruled).security, [{ bearer: [] }])
  assert.ok(operation('/users', 'get', ruled).responses[403])
  assert.ok(ruled.paths['/tokens'])
  const user = ruled.components.schemas.User!
  assert.deepEqual(user.required, ['id', 'email'], 'fields that not everyone may read are optional')
  assert.deepEqual(ruled.components.schemas['User.create']!.required, ['email', 'password'])
  assert.equal(operation('/posts', 'get').security, undefined)
  assert.equal(operation('/posts', 'get').responses[403], undefined)
})

test('R91: a custom operation needs the token, and the role, that its rules require', () => {
  const sdl = `type User @account @allow { id: ID! email: String! @unique }
    extend type Query { open: Int @allow members: Int @allow(who: "signedIn") }
    extend type Mutation { ship: Int @allow(role: "clerk") @allow(who: "signedIn", role: "boss") purge: Int }`
  const ruled = documentOf(loadModel(sdl, 'x.graphql'))
  const security = (path: string, method: string) => operation(path, method, ruled).security
  assert.deepEqual(security('/open', 'get'), [{}, { bearer: [] }])
  assert.deepEqual(security('/members', 'get'), [{ bearer: [] }])
  assert.deepEqual(security('/ship-requests', 'post'), [{ bearer: ['clerk'] }, { bearer: ['boss'] }])
  assert.deepEqual(security('/purge-requests', 'post'), [{ bearer: ['admin'] }])
  const open = documentOf(loadModel('type A { id: ID! } extend type Query { x: Int @allow }', 'x.graphql'))
  assert.equal(operation('/x', 'get', open).security, undefined)
})

test('R90: descriptions and deprecations of the schema are in the document', () => {
  const sdl = `"A thing." type A { id: ID! "Its name." name: String old: Int @deprecated(reason: "Use name.") state: S }
    enum S { ON "Not in use." OFF @deprecated(reason: "Broken.") }`
  const described = documentOf(loadModel(sdl, 'x.graphql'))
  const { name, old } = described.components.schemas.A!.properties!
  assert.equal(described.components.schemas.A!.description, 'A thing.')
  assert.equal(name?.description, 'Its name.')
  assert.deepEqual([old?.deprecated, old?.description], [true, 'Deprecated: Use name.'])
  assert.match(described.components.schemas.S!.description!, /`OFF`: Not in use\. Deprecated: Broken\./)
  const filter = parametersOf('/as', 'get', described).find((parameter) => parameter.name === 'old[gt]')
  assert.equal(filter?.deprecated, true)
})

test('R90: operation ids are unique, whatever the names of the types', () => {
  const sdl = `type User { id: ID! posts: [PostsOfUser!]! } type PostsOfUser { id: ID! user: User! }
    type PostOfUser { id: ID! }`
  for (const one of [document, documentOf(loadModel(sdl, 'x.graphql'))]) {
    const ids = Object.values(one.paths).flatMap((path) =>
      Object.values(path).flatMap((part) => (part !== undefined && 'operationId' in part ? [part.operationId] : [])),
    )
    assert.equal(new Set(ids).size, ids.length)
  }
})

test('the document of a schema with a thousand fields takes less than 500 ms', () => {
  const fields = Array.from({ length: 20 }, (_, n) => `f${n}: ${['String', 'Int', 'DateTime', 'Float'][n % 4]}`).join(
    ' ',
  )
  const types = Array.from({ length: 50 }, (_, n) => `type T${n} { id: ID! ${fields} next: T${(n + 1) % 50} }`)
  const big = loadModel(types.join('\n'), 'x.graphql')
  const times = Array.from({ length: 5 }, () => {
    const took = startCpuTimer()
    openapiText(big, defaultLimits, 'full')
    return took()
  })
  assert.ok(Math.min(...times) < 500, `${times} ms`)
})

function documentOf(model: typeof blog): DocumentView {
  return JSON.parse(openapiText(model, defaultLimits, 'full')) as DocumentView
}

function operation(path: string, method: string, from = document): OperationView {
  return from.paths[path]![method] as OperationView
}

function parametersOf(path: string, method: string, from = document): ParameterView[] {
  return operation(path, method, from).parameters!.map((parameter) => resolve(parameter, from))
}

function bodyOf(path: string, method: string, type: string): SchemaView {
  return operation(path, method).requestBody!.content[type]!.schema!
}

function schemaOf(name: string): SchemaView {
  return document.components.schemas[name]!
}
