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
  type Post @allow {
    id: ID! name: String! text: String secret: String @allow(role: "seller") label: String @computed(from: ["name"])
  }
  type Tag @allow { id: ID! name: String! @unique secret: String @allow(role: "seller") }
  type Order @allow(role: "seller") @allow(verified: true) { id: ID! code: String! @unique lines: [Line!]! }
  type Line @allow { id: ID! text: String! order: Order! @relation(onDelete: CASCADE) }
  type Query { takings: Int! @allow(role: "seller") }
  type Mutation {
    close(reason: String!): Boolean! @allow(role: "seller")
    publish(name: String!): Post @allow
    promote(id: ID!): Boolean @allow
  }
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
        async promote({ id }, { system }) {
          await system.write.User.update(id, { roles: ['seller'] })
          return true
        },
        publish: async ({ name }, { write }) => (await write.Post.create({ name })).id,
      },
      Post: {
        label() {
          throw new ApiError('FORBIDDEN', 'Not this label.')
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

/** The viewer may write these rows, and not read all of what is selected of them. Each stores its rows once. */
const committedWrites: Record<string, { send: (of: Client) => Promise<unknown>; rows?: number }> = {
  create: { send: ({ graphql }) => graphql('mutation { createPost(input: {name: "n"}) { id secret } }') },
  'a computed field': { send: ({ graphql }) => graphql('mutation { createPost(input: {name: "n"}) { id label } }') },
  list: {
    send: ({ graphql }) => graphql('mutation { createPosts(inputs: [{name: "n"}, {name: "n"}]) { id secret } }'),
    rows: 2,
  },
  transaction: {
    send: ({ graphql }) => graphql('mutation @transaction { createPost(input: {name: "n"}) { id secret } }'),
  },
  'two fields': {
    send: ({ graphql }) =>
      graphql('mutation { a: createPost(input: {name: "n"}) { secret } b: createPost(input: {name: "n"}) { id } }'),
    rows: 2,
  },
  'a custom mutation': { send: ({ graphql }) => graphql('mutation { publish(name: "n") { id secret } }') },
  'over a WebSocket': {
    send: ({ overSocket }) => overSocket('mutation { createPost(input: {name: "n"}) { id secret } }'),
  },
  'REST: create': { send: ({ rest }) => rest('POST', '/posts?fields=id,secret', { name: 'n' }) },
  'REST: create, by default': { send: ({ rest }) => rest('POST', '/posts', { name: 'n' }) },
  'REST: batch': {
    send: ({ rest }) => rest('POST', '/batch', [{ method: 'POST', path: '/posts', body: { name: 'n' } }]),
  },
  'REST: a custom mutation': { send: ({ rest }) => rest('POST', '/publish-requests?fields=id,secret', { name: 'n' }) },
}

/** One row, by its id or its key, of a type that only its role shows. */
const addressedRows: Record<string, (of: Client, id: string) => Promise<boolean>> = {
  'REST: a row': async ({ rest }, id) => (await rest('GET', `/orders/${id}`)).status === 200,
  'REST: a row by its key': async ({ rest }, id) => (await rest('GET', `/orders/code=${id}`)).status === 200,
  'REST: a change': async ({ rest }, id) => (await rest('PATCH', `/orders/${id}`, { code: id })).status === 200,
  'REST: a delete': async ({ rest }, id) => (await rest('DELETE', `/orders/${id}`)).status === 204,
  'REST: the list of a row': async ({ rest }, id) => (await rest('GET', `/orders/${id}/lines`)).status === 200,
  'REST: a create in the list of a row': async ({ rest }, id) =>
    (await rest('POST', `/orders/${id}/lines`, { text: 'n' })).status === 201,
  'REST: the history of a row': async ({ rest }, id) => (await rest('GET', `/orders/${id}/changes`)).status === 200,
  'REST: a batch': async ({ rest }, id) =>
    (await rest('POST', '/batch', [{ method: 'PATCH', path: `/orders/${id}`, body: { code: id } }])).status === 200,
  'GraphQL: a row': async ({ graphql }, id) => hasData(await graphql(`{ of: order(id: "${id}") { code } }`)),
  'GraphQL: a row by its key': async ({ graphql }, id) =>
    hasData(await graphql(`{ of: orderBy(key: {code: "${id}"}) { id } }`)),
  'GraphQL: a change': async ({ graphql }, id) =>
    hasData(await graphql(`mutation { of: updateOrder(id: "${id}", code: "${id}") { id } }`)),
  'GraphQL: a delete': async ({ graphql }, id) => {
    const { data } = (await graphql(`mutation { deleteOrder(id: "${id}") { success } }`)) as GraphqlAnswer
    return (data as { deleteOrder: { success: boolean } }).deleteOrder.success
  },
  'GraphQL: a transaction': async ({ graphql }, id) =>
    hasData(await graphql(`mutation @transaction { of: updateOrder(id: "${id}", code: "${id}") { id } }`)),
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

test('a write that was committed is not made again for fields of its answer that were forbidden', async (t) => {
  const { grant, revoke, client, names } = await open(t)
  for (const [name, { send, rows = 1 }] of Object.entries(committedWrites)) {
    await revoke()
    const before = await names('posts')
    await grant(['seller'])
    await send(client)
    assert.equal((await names('posts')).length - before.length, rows, name)
  }
})

test('an answer is that of the first write: no false conflict, no stale version', async (t) => {
  const { grant, revoke, client, names } = await open(t)
  await revoke()
  await grant(['seller'])
  const made = (await client.graphql('mutation { createTag(input: {name: "t"}) { id secret } }')) as GraphqlAnswer
  assert.deepEqual(codesOf(made), ['FORBIDDEN'])
  assert.deepEqual([made.data !== null, await names('tags')], [true, ['t']])
  const { body } = await client.rest('POST', '/posts', { name: 'p' })
  const { id } = body as { id: string }
  await revoke()
  await grant(['seller'])
  const changed = (await client.graphql(
    `mutation { updatePost(id: "${id}", name: "q", ifVersion: 1) { id secret _version } }`,
  )) as GraphqlAnswer
  assert.deepEqual(codesOf(changed), ['FORBIDDEN'])
  assert.deepEqual(changed.data?.updatePost, { id, secret: null, _version: 2 })
})

test('a row of a type that another role shows is not missing for who was just given the role', async (t) => {
  const { join, granting } = await open(t)
  for (const [index, [name, isThere]] of Object.entries(addressedRows).entries()) {
    const id = `o${index}`
    const { grant, client } = await join(id)
    await granting.asSystem('PUT', `/orders/${id}`, { code: id })
    assert.equal(await isThere(client, id), false, `${name}, without the role`)
    await grant(['seller'])
    assert.equal(await isThere(client, id), true, `${name}, with the role`)
  }
})

test('a field of a mutation can use the role that an earlier field of it gave', async (t) => {
  const { id, revoke, client } = await open(t)
  await revoke()
  const grantAndUse = (await client.graphql(`mutation {
    refused: createShop(input: {name: "a"}) { id }
    promote(id: "${id}")
    made: createShop(input: {name: "b"}) { id }
  }`)) as GraphqlAnswer
  assert.deepEqual(
    [grantAndUse.data?.refused, grantAndUse.data?.promote, grantAndUse.data?.made !== null],
    [null, true, true],
  )
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
  const join = async (name: string) => {
    const { id, authorization } = await granting.signUp(name)
    const headers = { authorization }
    const client: Client = {
      rest: (method, path, body) => answering.send(method, path, body, headers),
      graphql: async (query) => (await answering.send('POST', '/graphql', { query }, headers)).body,
      overSocket: (query) => askOverSocket(answering.address, headers, query),
    }
    const grant = async (roles: string[]) => {
      const { status } = await granting.asSystem('PATCH', `/users/${id}`, { roles })
      assert.equal(status, 200)
    }
    assert.equal((await client.rest('GET', '/users/none')).status, 404) // the viewer is cached from now on
    return { id, headers, client, grant }
  }
  const { id, headers, client, grant } = await join('ann')
  await granting.asSystem('PUT', '/shops/s1', { name: 'One', margin: 3 })
  /** Waits until the node that answers knows. */
  const revoke = async () => {
    await grant([])
    await until(
      () => client.rest('GET', '/shops/s1?fields=name,margin'),
      ({ status }) => status === 403,
    )
  }
  const names = async (path: string): Promise<string[]> => {
    const rows = await answering.succeed('GET', `/${path}?fields=name&limit=100`, undefined, headers)
    return rows.map(({ name }: { name: string }) => name)
  }
  return { id, grant, revoke, client, names, granting, join }
}

interface GraphqlAnswer {
  data: Record<string, unknown> | null
  errors?: { extensions: { code: string } }[]
}

function codesOf({ errors = [] }: GraphqlAnswer): string[] {
  return errors.map(({ extensions }) => extensions.code)
}

/** Whether the field `of` has a value. */
function hasData(answer: unknown): boolean {
  const { data } = answer as GraphqlAnswer
  return data?.of != null
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
