// Rights that have grown count at once, on every node: a refusal first reads the account afresh (docs/reference/accounts.md). Rights
// that shrink end within a second, as `sessions.test.ts` shows.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { WebSocket } from 'ws'
import { makePreparedDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = `
  type User @account @allow(to: [READ, CREATE]) @allow(who: "self") @allow(role: "admin") {
    id: ID! email: String! @unique name: String roles: [String!]
  }
  type Shop @allow(to: [READ]) @allow(role: "seller") {
    id: ID! name: String! margin: Int @allow(role: "seller")
  }
  type Query { takings: Int! @allow(role: "seller") }
  type Mutation { close(reason: String!): Boolean! @allow(role: "seller") }
`

const code = `
  import { ApiError } from '${new URL('../../packages/twain/src/base/index.ts', import.meta.url)}'
  let calls = 0
  export default {
    resolvers: {
      Query: { takings: () => calls },
      Mutation: {
        close({ reason }) {
          if (reason === 'tired') return true
          calls++
          throw new ApiError('FORBIDDEN', 'Not for this reason.')
        },
      },
    },
  }`

const requests: Record<string, (of: Client) => Promise<boolean>> = {
  'REST: a create': async ({ rest }) => (await rest('POST', '/shops', { name: 'Hats' })).status < 300,
  'REST: a large body': async ({ rest }) =>
    (await rest('POST', '/shops', { name: 'Hats '.repeat(20_000) })).status < 300,
  'REST: a batch': async ({ rest }) =>
    (await rest('POST', '/batch', [{ method: 'POST', path: '/shops', body: { name: 'Ties' } }])).status < 300,
  'REST: a field by name': async ({ rest }) => (await rest('GET', '/shops/s1?fields=name,margin')).status < 300,
  'REST: a custom query': async ({ rest }) => (await rest('GET', '/takings')).status < 300,
  'REST: a custom mutation': async ({ rest }) =>
    (await rest('POST', '/close-requests', { reason: 'tired' })).status < 300,
  'GraphQL: a create': async ({ graphql }) =>
    isFine(await graphql('mutation { createShop(input: {name: "a"}) { id } }')),
  'GraphQL: two creates': async ({ graphql }) => {
    const create = (key: string) => `${key}: createShop(input: {name: "${key}"}) { id }`
    return isFine(await graphql(`mutation { ${create('a')} ${create('b')} }`))
  },
  'GraphQL: a transaction': async ({ graphql }) =>
    isFine(await graphql('mutation @transaction { createShop(input: {name: "t"}) { id } }')),
  'GraphQL: a field': async ({ graphql }) => isFine(await graphql('{ shop(id: "s1") { margin } }')),
  'GraphQL: a filter by a field': async ({ graphql }) =>
    isFine(await graphql('{ shops(where: {margin: {eq: 3}}) { id } }')),
  'GraphQL: a custom query': async ({ graphql }) => isFine(await graphql('{ takings }')),
  'GraphQL: a custom mutation': async ({ graphql }) => isFine(await graphql('mutation { close(reason: "tired") }')),
  'WebSocket: a create': async ({ overSocket }) =>
    isFine(await overSocket('mutation { createShop(input: {name: "w"}) { id } }')),
}

interface Client {
  rest(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>
  graphql(query: string): Promise<unknown>
  overSocket(query: string): Promise<unknown>
}

test('a role that one node granted counts on another at the next request, through every way in', async (t) => {
  const { grant, client } = await open(t)
  for (const [name, send] of Object.entries(requests)) {
    await grant(['seller'])
    assert.equal(await send(client), true, `${name}, with the role`)
    await grant([])
    await until(
      () => send(client),
      (isDone) => !isDone,
    )
  }
})

test('code that refuses its caller is not called twice, and who has no more rights is refused as before', async (t) => {
  const { grant, client } = await open(t)
  const { status, body } = await client.rest('POST', '/shops', { name: 'Hats' })
  assert.deepEqual([status, (body as { code: string }).code], [403, 'FORBIDDEN'])
  await grant(['seller'])
  assert.equal((await client.rest('POST', '/close-requests', { reason: 'refused' })).status, 403)
  const { errors } = (await client.graphql('mutation { close(reason: "refused") }')) as GraphqlAnswer
  assert.equal(errors?.[0]?.extensions.code, 'FORBIDDEN')
  assert.equal((await client.rest('GET', '/takings')).body as number, 2)
})

/** One node on SQLite, two on PostgreSQL: one grants, the other answers. */
async function open(t: TestContext) {
  const ends: (() => unknown)[] = []
  t.after(async () => {
    for (const end of ends) await end()
  })
  const later = { after: (end: unknown) => void ends.unshift(end as () => unknown) }
  const database = testedStore === 'postgres' ? await makePreparedDatabase() : null
  if (database !== null) later.after(database.drop)
  const options = { code, ...(database && { database: database.address }) }
  const granting = await TestService.open(later, sdl, options)
  const answering = database === null ? granting : await TestService.open(later, sdl, options)
  const ann = await granting.signUp('ann')
  const headers = { authorization: ann.authorization }
  await granting.asSystem('PUT', '/shops/s1', { name: 'One', margin: 3 })
  const grant = async (roles: string[]) => {
    const { status } = await granting.asSystem('PATCH', `/users/${ann.id}`, { roles })
    assert.equal(status, 200)
  }
  const client: Client = {
    rest: (method, path, body) => answering.send(method, path, body, headers),
    graphql: async (query) => (await answering.send('POST', '/graphql', { query }, headers)).body,
    overSocket: (query) => askOverSocket(answering.address, headers, query),
  }
  assert.equal((await client.rest('GET', '/users/none')).status, 404) // the viewer is cached from now on
  return { grant, client }
}

interface GraphqlAnswer {
  errors?: { extensions: { code: string } }[]
}

function isFine(answer: unknown): boolean {
  return (answer as GraphqlAnswer).errors === undefined
}

let socket: WebSocket | null = null

/** The socket stays open from one question to the next. */
async function askOverSocket(address: string, payload: object, query: string): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const ask = () => opened.send(JSON.stringify({ type: 'subscribe', id: String(Math.random()), payload: { query } }))
  const opened = socket ?? new WebSocket(`${address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  opened.once('close', () => {
    socket = null
  })
  opened.on('error', reject)
  opened.removeAllListeners('message').on('message', (data) => {
    const message = JSON.parse(String(data))
    if (message.type === 'connection_ack') ask()
    else if (message.type === 'next') resolve(message.payload)
    else if (message.type === 'error') resolve({ errors: message.payload })
  })
  if (socket === null) opened.once('open', () => opened.send(JSON.stringify({ type: 'connection_init', payload })))
  else ask()
  socket = opened
  return promise
}
