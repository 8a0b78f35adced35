// Spans of a whole service with the SDK of OpenTelemetry: request, plan, statement, commit, delivery, and custom code.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import { openTracing } from '../../packages/twain/src/base/index.ts'
import { defaultWebhookSettings } from '../../packages/twain/src/events/index.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'
import { openReceiver } from '../webhooks/receiver.ts'

const exporter = new InMemorySpanExporter()
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
provider.register()

const sdl = `
type User @account @allow(to: [CREATE, READ]) { id: ID! email: String! @unique name: String roles: [String!] }
type Post @allow { id: ID! title: String! @constraint(maxLength: 20) }
type Query { active: String! @allow  broken: String! @allow }
`

const code = `
import { trace } from '@opentelemetry/api'
export default {
  resolvers: {
    Query: {
      active: () => trace.getActiveSpan()?.spanContext().traceId ?? 'none',
      broken: () => { throw new Error('a bug') },
    },
  },
  on: { Post: () => { globalThis.handled = trace.getActiveSpan()?.spanContext().traceId } },
}
`

const traceId = '0af7651916cd43dd8448eb211c80319c'
const parentId = 'b7ad6b7169203331'
const traceparent = `00-${traceId}-${parentId}-01`
const continued = { traceparent }

const dbSystem = testedStore === 'postgres' ? 'postgresql' : 'sqlite'

const opened = (async () => {
  const tracing = await openTracing(silent)
  assert.ok(tracing !== null)
  const webhooks = { ...defaultWebhookSettings, allowPrivate: true }
  const resolved = code.replace(`'@opentelemetry/api'`, JSON.stringify(import.meta.resolve('@opentelemetry/api')))
  return TestService.open({ after: (close) => after(() => (close as () => Promise<void>)()) }, sdl, {
    tracing,
    webhooks,
    code: resolved,
    listening: { tracing },
  })
})()

/** The service of all tests, without the spans of earlier ones. */
async function open(): Promise<TestService> {
  const service = await opened
  exporter.reset()
  return service
}

const spans = () => exporter.getFinishedSpans()

/** The span of a request ends after its response. */
async function ofRequest(name: string): Promise<ReadableSpan> {
  const found = await until(
    async () => spans().find((span) => span.name === name),
    (span) => span !== undefined,
  )
  assert.ok(found !== undefined, `${name} in ${spans().map((span) => span.name)}`)
  return found
}

const childrenOf = (parent: ReadableSpan) =>
  spans().filter((span) => span.parentSpanContext?.spanId === parent.spanContext().spanId)

test('a REST read has spans of the request, its plan and its statement, in the trace of the client', async () => {
  const service = await open()
  await service.succeed('GET', '/posts?fields=title&title=secret', undefined, continued)
  const request = await ofRequest('GET /posts')

  assert.equal(request.kind, SpanKind.SERVER)
  assert.equal(request.spanContext().traceId, traceId)
  assert.equal(request.parentSpanContext?.spanId, parentId)
  assert.equal(request.attributes['http.route'], '/posts')
  assert.equal(request.attributes['http.request.method'], 'GET')
  assert.equal(request.attributes['http.response.status_code'], 200)
  assert.equal(request.attributes['url.path'], '/posts')
  assert.equal(request.attributes['server.address'], '127.0.0.1')
  const children = childrenOf(request)
  assert.deepEqual(
    children.map(({ name }) => name),
    ['parse', 'plan', 'SELECT Post'],
  )
  const statement = children.at(-1)!
  assert.equal(statement.kind, SpanKind.CLIENT)
  assert.equal(statement.attributes['db.system.name'], dbSystem)
  assert.equal(statement.attributes['db.collection.name'], 'Post')
  assert.equal(statement.attributes['db.operation.name'], 'SELECT')
  assert.match(String(statement.attributes['db.query.text']), /SELECT/)
  assert.ok(!JSON.stringify(spans().map(({ attributes }) => attributes)).includes('secret'), 'no span has a value')
})

test('a GraphQL write has an operation, a statement and a commit below it', async () => {
  const service = await open()
  const query = 'mutation Add($t: String!) { createPost(input: {title: $t}) { id } }'
  await service.succeed('POST', '/graphql', { query, variables: { t: 'hidden value' } }, continued)
  const request = await ofRequest('POST /graphql')

  assert.equal(request.spanContext().traceId, traceId)
  const [operation, ...others] = childrenOf(request)
  assert.deepEqual(others, [])
  assert.equal(operation!.name, 'mutation')
  assert.equal(operation!.attributes['graphql.operation.type'], 'mutation')
  assert.equal(operation!.attributes['graphql.operation.name'], 'Add')
  const below = childrenOf(operation!)
  assert.ok(below.some(({ name }) => name === 'plan'))
  const statement = below.find(({ name }) => name === 'INSERT Post')!
  assert.equal(statement.attributes['db.operation.name'], 'INSERT')
  const commit = childrenOf(statement).find(({ name }) => name === 'COMMIT')!
  assert.equal(commit.kind, SpanKind.CLIENT)
  assert.ok(commit.endTime[0] > 0 && commit.duration[0] < 60, 'it has the times of the commit itself')
  assert.ok(!JSON.stringify(spans().map(({ attributes }) => attributes)).includes('hidden value'))
})

test('failures are recorded: of a write, of a document, and a bug of custom code', async () => {
  const service = await open()
  const refused = await service.send('POST', '/posts', { title: 'x'.repeat(30) })
  assert.equal(refused.status, 400)
  const request = await ofRequest('POST /posts')
  assert.equal(request.attributes['http.response.status_code'], 400)
  assert.equal(request.status.code, SpanStatusCode.UNSET, 'a 4xx is no failure of the server')

  await service.send('POST', '/graphql', { query: '{ nope }' })
  const invalid = await ofRequest('GraphQL Operation')
  assert.equal(invalid.attributes['error.type'], 'GRAPHQL_VALIDATION_FAILED')
  assert.equal(invalid.status.code, SpanStatusCode.ERROR)

  const broken = await service.send('GET', '/broken')
  assert.equal(broken.status, 500)
  const failed = await ofRequest('GET /broken')
  assert.equal(failed.status.code, SpanStatusCode.ERROR)
  assert.equal(failed.events[0]?.attributes?.['exception.message'], 'a bug')

  exporter.reset()
  await service.send('POST', '/graphql', { query: '{ broken }' })
  const query = await ofRequest('query')
  assert.equal(query.attributes['error.type'], 'INTERNAL')
  assert.equal(query.events[0]?.attributes?.['exception.message'], 'a bug')
})

test('custom code sees the active span, also in an `on` handler of a later change', async () => {
  const service = await open()
  assert.equal(await service.succeed('GET', '/active', undefined, continued), traceId)
  const graphql = await service.succeed('POST', '/graphql', { query: '{ active }' }, continued)
  assert.equal(graphql.data.active, traceId)
  await service.succeed('POST', '/posts', { title: 'a' }, continued)
  const handled = await until(
    async () => (globalThis as { handled?: string }).handled,
    (id) => id !== undefined,
  )
  assert.equal(handled, traceId)
  const handler = await ofRequest('process on.Post')
  assert.equal(handler.kind, SpanKind.CONSUMER)
})

test('a delivery continues the trace of the write, and passes it on to the receiver', async (t) => {
  const service = await open()
  const receiver = await openReceiver(t)
  const admin = await service.signUp('ann')
  await makeAdmin(service, admin.id)
  const { authorization } = admin
  await service.succeed('POST', '/webhooks', { url: receiver.url, events: ['post.*'] }, { authorization })
  await service.succeed('POST', '/posts', { title: 'a' }, continued)
  const [message] = await receiver.has(1)
  const delivery = await ofRequest('send post.created')
  assert.equal(delivery.kind, SpanKind.PRODUCER)
  assert.equal(delivery.spanContext().traceId, traceId)
  assert.equal(delivery.attributes['messaging.destination.name'], 'post.created')
  assert.equal(message!.headers.traceparent, `00-${traceId}-${delivery.spanContext().spanId}-01`)
})

test('without an SDK the traceparent of a write still reaches the webhook', async (t) => {
  const webhooks = { ...defaultWebhookSettings, allowPrivate: true }
  const service = await TestService.open(
    t,
    'type User @account @allow(to: [CREATE, READ]) { id: ID! email: String! @unique name: String roles: [String!] } type Post @allow { id: ID! title: String! }',
    { webhooks },
  )
  const receiver = await openReceiver(t)
  const admin = await service.signUp('ann')
  await makeAdmin(service, admin.id)
  const { authorization } = admin
  await service.succeed('POST', '/webhooks', { url: receiver.url, events: ['post.*'] }, { authorization })
  await service.succeed('POST', '/posts', { title: 'rest' }, continued)
  const query = 'mutation { createPost(input: {title: "graphql"}) { id } }'
  await service.succeed('POST', '/graphql', { query }, continued)
  await service.succeed('POST', '/posts', { title: 'none' })
  await service.succeed('POST', '/posts', { title: 'invalid' }, { traceparent: '00-nonsense-01' })
  const got = await receiver.has(4)
  const byTitle = Object.fromEntries(got.map(({ event, headers }) => [event.data.title, headers.traceparent]))
  assert.deepEqual(byTitle, { rest: traceparent, graphql: traceparent, none: undefined, invalid: undefined })
})

async function makeAdmin(service: TestService, id: string): Promise<void> {
  const { plainRequest } = await import('../../packages/twain/src/base/http/index.ts')
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ roles: ['admin'] })
  const reply = await service.service.handleAsSystem(plainRequest('PATCH', `/users/${id}`, { headers, body }))
  assert.equal(reply.status, 200)
}
