import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel, type Model } from '#model'
import { defaultLimits } from '#plan'
import { blog } from '../../blog.fixture.ts'
import { openapiText } from '../document.ts'
import type { OpenapiProfile } from '../json-parts.ts'
import type { DocumentView, OperationView, ParameterView, SchemaView } from '../page/document-view.ts'

const withEverything = loadModel(
  `
  type User @account @allow { id: ID! email: String! @unique notes: [Note!]! }
  type Note @allow {
    id: ID! title: String! @search xml: String anyOf: Int author: User! @auto(set: VIEWER) scan: File seen: Seen
    tags: [Tag!]! next: [Note!]! @computed
  }
  type Tag @allow { id: ID! name: String! notes: [Note!]! }
  type Seen { by: String! }
  union Item = Note | Tag
  type Query { best(by: ByInput): Note @allow newest: [Note!]! @allow }
  type Subscription { arrivals: Note! @allow }
  input ByInput { words: Int }
  `,
  'notes.graphql',
)

const clients = documentOf(withEverything, 'clients')
const full = documentOf(withEverything, 'full')

test('R94: each operation is one of the full document', () => {
  const operators = [
    '/graphql',
    '/healthz',
    '/readyz',
    '/metrics',
    '/metrics/nodes',
    '/metrics/load',
    '/metrics/slow-queries',
    '/metrics/statements',
    '/metrics/log',
    '/openapi.json',
    '/docs',
    '/docs/contract',
    '/docs/schema',
    '/docs/schema/files',
    '/docs/schema/changes',
    '/docs/model',
    '/docs/access',
    '/webhook-deliveries/{id}/message',
  ]
  const redirects = ['/sign-in/{provider}']
  const writesByKey = ['replaceUserByEmail', 'updateUserByEmail', 'deleteUserByEmail']
  const others = [...operators, ...redirects, ...writesByKey]
  const expected = idsOf(full).filter(([path, id]) => !others.includes(path) && !others.includes(id))
  assert.deepEqual(idsOf(clients), expected)
})

test('R94: a body and an answer have one media type and one shape; all failures have one response', () => {
  for (const [path, operation] of operationsOf(clients)) {
    const contents = [operation.requestBody?.content, ...Object.values(operation.responses).map((one) => one.content)]
    for (const content of contents) {
      if (content === undefined) continue
      const [[type, media] = ['', {}], ...more] = Object.entries(content)
      assert.equal(more.length, 0, path)
      assert.doesNotMatch(type, /\*/)
      assert.equal(media.schema?.oneOf, undefined, path)
    }
    const { default: failure, ...successes } = operation.responses
    assert.deepEqual(failure, { $ref: '#/components/responses/problem' })
    for (const status of Object.keys(successes)) assert.match(status, /^20[0-4]$/)
  }
  for (const name of Object.keys(clients.components.schemas)) assert.doesNotMatch(name, /\.(choice|connection)$/)
})

test('R94: a list is an array of rows, and its filters are one parameter with text', () => {
  assert.deepEqual(answerOf('/notes'), { type: 'array', items: { $ref: '#/components/schemas/Note' } })
  assert.deepEqual(answerOf('/newest'), { type: 'array', items: { $ref: '#/components/schemas/Note' } })
  assert.deepEqual(answerOf('/items'), { type: 'array', items: { $ref: '#/components/schemas/Item' } })
  assert.deepEqual(answerOf('/best'), { anyOf: [{ $ref: '#/components/schemas/Note' }, { type: 'null' }] })
  const parameters = parametersOf('/notes')
  assert.deepEqual(
    parameters.map(({ name }) => name),
    ['limit', 'offset', 'sort', 'where', 'search', 'Prefer'],
  )
  assert.deepEqual(parameters.find(({ name }) => name === 'where')?.schema, {
    type: 'string',
    contentMediaType: 'application/json',
    contentSchema: { $ref: '#/components/schemas/Note.where' },
  })
  assert.ok(clients.components.schemas['Note.where'])
})

test('R68, R94: clients list deleted rows, restore them and delete them for good', () => {
  const soft = documentOf(loadModel('type A @softDelete { id: ID! }', 'x.graphql'), 'clients')
  const refs = (path: string, method: string) => JSON.stringify((soft.paths[path]![method] as OperationView).parameters)
  assert.match(refs('/as', 'get'), /parameters\/deleted"/)
  assert.match(refs('/as/{id}', 'delete'), /parameters\/purge"/)
  assert.ok(soft.paths['/as/{id}/restorations'])
})

test('R94: fields with the names of keywords stay, and no schema hides a type of JavaScript', () => {
  const { properties } = clients.components.schemas.Note!
  assert.deepEqual(Object.keys(properties!).slice(0, 4), ['id', 'title', 'xml', 'anyOf'])
  assert.equal(clients.components.schemas.File, undefined)
  assert.deepEqual(answerOf('/files', 'post', 201), { $ref: '#/components/schemas/twain.file' })
})

test('R94: sign-in answers with a token; an upload is a form', () => {
  assert.deepEqual(answerOf('/tokens', 'post', 201), { $ref: '#/components/schemas/twain.token' })
  assert.equal(clients.components.schemas['twain.signIn']!.oneOf!.length, 4)
  assert.deepEqual(Object.keys(operation('/files', 'post').requestBody!.content), ['multipart/form-data'])
})

test('R94: the document has a line for each operation and each component, and is small', () => {
  const text = openapiText(blog, defaultLimits, 'clients')
  assert.match(text, /\n {2}"\/posts": \{\n {3}"get": \{.*\},?\n/)
  assert.match(text, /\n {3}"Post": \{.*\},?\n/)
  assert.ok(text.length * 4 < openapiText(blog, defaultLimits, 'full').length)
})

function documentOf(model: Model, profile: OpenapiProfile): DocumentView {
  return JSON.parse(openapiText(model, defaultLimits, profile)) as DocumentView
}

function operationsOf({ paths }: DocumentView): [path: string, operation: OperationView][] {
  return Object.entries(paths).flatMap(([path, { parameters: _, ...operations }]) =>
    Object.values(operations).map((operation): [string, OperationView] => [path, operation as OperationView]),
  )
}

function idsOf(document: DocumentView): [path: string, id: string][] {
  return operationsOf(document).map(([path, { operationId }]) => [path, operationId])
}

function operation(path: string, method = 'get'): OperationView {
  return clients.paths[path]![method] as OperationView
}

function answerOf(path: string, method = 'get', status = 200): SchemaView | undefined {
  return Object.values(operation(path, method).responses[status]!.content!)[0]!.schema
}

function parametersOf(path: string): ParameterView[] {
  return operation(path).parameters!.map((parameter) => {
    const { $ref } = parameter as { $ref?: string }
    if ($ref === undefined) return parameter
    return clients.components.parameters![$ref.slice($ref.lastIndexOf('/') + 1)] as ParameterView
  })
}
