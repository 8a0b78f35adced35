// State machines (docs/reference/rest.md, R140–R149) on both APIs and with every kind of write.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { system, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import { type ApiClient, openApis, type TestApis } from '../harness/open-apis.ts'
import { openWithPeople, type Person } from '../harness/open-with-people.ts'

const sdl = `
type User @account @allow(to: [READ, CREATE]) @allow(who: "self") { id: ID! email: String! @unique }
type Order
  @allow(who: "customer", to: [READ, CREATE])
  @allow(who: "customer", to: [UPDATE], where: {status: {eq: CART}})
  @allow(role: "cashier", to: [READ])
  @allow(role: "clerk", to: [READ, UPDATE]) {
  id: ID!
  customer: User! @default(value: VIEWER)
  address: String
  note: String
  secret: String @allow(role: "clerk")
  code: String @unique
  status: OrderStatus!
  lines: [Line!]!
  tags: [Tag!]!
}
type Line @allow(who: "order", to: [READ, CREATE]) @allow(role: "clerk") {
  id: ID!
  order: Order! @relation(onDelete: CASCADE)
  what: String!
  state: LineState
}
type Tag @allow(to: [READ]) @allow(role: "clerk") { id: ID! word: String! orders: [Order!]! }
enum OrderStatus {
  CART      @next(to: [PLACED], who: "customer", where: {address: {isNull: false}, lines: {some: {}}})
            @next(to: [CANCELLED], who: "customer")
  PLACED    @next(to: [PAID], role: "cashier")  @next(to: [CANCELLED], who: "customer")
            @next(to: [ON_HOLD], where: {secret: {eq: "ok"}})
  ON_HOLD   @next(to: [PLACED])
  PAID
  CANCELLED
}
enum LineState { OPEN @next(to: [DONE], who: "order") DONE @next(to: [OPEN], role: "clerk") }
`
let apis: TestApis
let ann: Person
let bob: Person
let cashier: ApiClient
let clerk: ApiClient
const ours = () => apis.as(system)
const withRole = (role: string): Viewer => ({ account: null, roles: [role], authenticated: true, token: null })

before(async () => {
  ;({ apis, ann, bob } = await openWithPeople(sdl))
  cashier = apis.as(withRole('cashier'))
  clerk = apis.as(withRole('clerk'))
})
after(() => apis.close())

/** An order of Ann's in this state, written as the system, which rules do not restrict. */
async function order(status: string, fields: object = { address: 'here', lines: [{ what: 'tea' }] }): Promise<string> {
  const { lines, ...own } = fields as { lines?: object[] }
  const reply = await ours().rest('POST', '/orders', { customer: ann.id, status, ...own, ...(lines && { lines }) })
  assert.equal(reply.status, 201, JSON.stringify(reply.body))
  return (reply.body as { id: string }).id
}

interface WriteOutcome {
  status: number
  code?: string
  errors?: { path: string; code: string; message: string }[]
}

/** The same write by PATCH, JSON patch, PUT and GraphQL's update and replace, each on an order of its own. */
const ways: Record<string, (client: ApiClient, id: string, changes: Record<string, unknown>) => Promise<WriteOutcome>> =
  {
    PATCH: (client, id, changes) => viaRest(client, 'PATCH', id, changes),
    'JSON patch': (client, id, changes) => {
      const operations = Object.entries(changes).map(([name, value]) => ({ op: 'add', path: `/${name}`, value }))
      return viaRest(client, 'PATCH', id, operations, { 'content-type': 'application/json-patch+json' })
    },
    PUT: async (client, id, changes) => {
      const { body } = await client.rest('GET', `/orders/${id}`)
      return viaRest(client, 'PUT', id, { ...(body as object), ...changes })
    },
    updateOrder: (client, id, changes) =>
      viaGraphql(
        client,
        'mutation ($id: ID!, $input: UpdateOrderInput!) { done: updateOrder(id: $id, input: $input) { id } }',
        {
          id,
          input: changes,
        },
      ),
    replaceOrder: async (client, id, changes) => {
      const { body } = await client.rest('GET', `/orders/${id}`)
      const { id: _, ...input } = body as Record<string, unknown>
      return viaGraphql(
        client,
        'mutation ($id: ID!, $input: CreateOrderInput!) { done: replaceOrder(id: $id, input: $input) { id } }',
        { id, input: { ...input, ...changes } },
      )
    },
  }

async function viaRest(
  client: ApiClient,
  method: string,
  id: string,
  body: unknown,
  headers = {},
): Promise<WriteOutcome> {
  const reply = await client.rest(method, `/orders/${id}`, body, headers)
  const { code, errors } = reply.body as WriteOutcome
  return { status: reply.status, ...(code && { code }), ...(errors && { errors }) }
}

const statuses: Record<string, number> = { CONFLICT: 409, FORBIDDEN: 403, UNAUTHENTICATED: 401, NOT_FOUND: 404 }

async function viaGraphql(client: ApiClient, query: string, variables: object): Promise<WriteOutcome> {
  const { errors } = await client.graphql(query, variables)
  const code = errors[0]?.extensions?.code
  if (code === undefined) return { status: 200 }
  const problems = errors[0]?.extensions?.errors
  return { status: statuses[code] ?? 400, code, ...(problems && { errors: problems }) }
}

async function stateOf(id: string): Promise<unknown> {
  return ((await ours().rest('GET', `/orders/${id}`)).body as { status: string }).status
}

for (const [way, write] of Object.entries(ways)) {
  test(`R140, R142: by ${way}, a transition grants the write to those whom it names, if nothing else changes`, async () => {
    const placed = await order('PLACED')
    assert.equal((await write(cashier, placed, { note: 'x' })).status, 403)
    assert.equal((await write(cashier, placed, { status: 'PAID', note: 'x' })).status, 403)
    assert.equal(await stateOf(placed), 'PLACED')
    assert.deepEqual(await write(cashier, placed, { status: 'PAID' }), { status: 200 })
    assert.equal(await stateOf(placed), 'PAID')
  })

  test(`R143: by ${way}, a transition that @next does not list is a conflict that names the state and its successors`, async () => {
    const reply = await write(ann, await order('CART'), { status: 'PAID' })
    assert.deepEqual([reply.status, reply.code], [409, 'CONFLICT'])
    const message = "is CART and can't become PAID: CART leads to PLACED, CANCELLED."
    assert.deepEqual(
      reply.errors?.map((error) => [error.path.split('.').at(-1), error.code, error.message]),
      [['status', 'STATE', message]],
    )
    const paid = await write(ann, await order('PAID'), { status: 'CART' })
    assert.match(paid.errors![0]!.message, /nothing follows PAID/)
  })

  test(`R144: by ${way}, a transition for others is refused`, async () => {
    const placed = await order('PLACED')
    for (const other of [ann, clerk]) assert.equal((await write(other, placed, { status: 'PAID' })).status, 403)
    assert.equal((await write(cashier, placed, { status: 'CANCELLED' })).status, 403)
    assert.equal((await write(cashier, placed, { status: 'ON_HOLD' })).status, 403)
    assert.equal(await stateOf(placed), 'PLACED')
  })

  test(`R145: by ${way}, a missing field is named, and can be sent in the same write`, async () => {
    const bare = await order('CART', {})
    const reply = await write(ann, bare, { status: 'PLACED' })
    assert.equal(reply.status, 409)
    assert.equal(
      reply.errors![0]!.message,
      'is CART and can become PLACED only where address is not null and some of lines.',
    )
    const lined = await order('CART', { lines: [{ what: 'tea' }] })
    const lacking = await write(ann, lined, { status: 'PLACED' })
    assert.equal(lacking.errors![0]!.message, 'is CART and can become PLACED only where address is not null.')
    assert.deepEqual(await write(ann, lined, { status: 'PLACED', address: 'there' }), { status: 200 })
  })

  test(`R146: by ${way}, rules check the other fields with the old state`, async () => {
    const cart = await order('CART')
    assert.deepEqual(await write(ann, cart, { status: 'CANCELLED', note: 'never mind' }), { status: 200 })
    assert.equal((await write(ann, cart, { note: 'too late' })).status, 403)
    const placed = await order('PLACED')
    assert.equal((await write(ann, placed, { status: 'CANCELLED', note: 'too late' })).status, 403)
    assert.deepEqual(await write(ann, placed, { status: 'CANCELLED' }), { status: 200 })
  })

  test(`R141: by ${way}, writing the current state is no transition`, async () => {
    const paid = await order('PAID')
    assert.deepEqual(await write(ann, paid, { status: 'PAID' }), { status: 200 })
    assert.deepEqual(await write(clerk, paid, { status: 'PAID', note: 'seen' }), { status: 200 })
    assert.equal(await stateOf(paid), 'PAID')
  })
}

test('R145: a missing field that the viewer can never read is not named', async () => {
  const placed = await order('PLACED')
  const reply = await ways.PATCH!(clerk, placed, { status: 'ON_HOLD' })
  assert.match(reply.errors![0]!.message, /only where secret = ok/)
  const open = await openApis(`
    type A @allow(to: [READ, UPDATE]) { id: ID! hidden: String @allow(role: "x") e: E! }
    enum E { X @next(to: [Y], where: {hidden: {eq: "v"}}) Y }`)
  try {
    await open.as(system).rest('PUT', '/as/a', { hidden: 'w' })
    const { status, body } = await open.rest('PATCH', '/as/a', { e: 'Y' })
    assert.equal(status, 409)
    assert.doesNotMatch(JSON.stringify(body), /hidden/)
  } finally {
    await open.close()
  }
})

test('R140: a row starts in the first value or the default and in no other state, also when created by PUT or nested', async () => {
  const made = await ann.rest('POST', '/orders', { lines: [{ what: 'tea' }] })
  assert.deepEqual([made.status, (made.body as { status: string }).status], [201, 'CART'])
  assert.equal((await ann.rest('POST', '/orders', { status: 'CART' })).status, 201)
  const attempts = [
    ann.rest('POST', '/orders', { status: 'PAID' }),
    ann.rest('POST', '/orders', [{}, { status: 'PAID' }]),
    ann.rest('POST', '/orders', { lines: [{ what: 'tea', state: 'DONE' }] }),
    ann.rest('PUT', '/orders/chosen', { status: 'PAID' }),
  ]
  const paths = ['status', '1.status', 'lines.0.state', 'status']
  for (const [index, attempt] of attempts.entries()) {
    const { status, body } = await attempt
    const { code, errors } = body as WriteOutcome
    assert.deepEqual([status, code, errors?.[0]?.path, errors?.[0]?.code], [409, 'CONFLICT', paths[index], 'STATE'])
    assert.match(errors![0]!.message, /^starts as (CART|OPEN)/)
  }
  const query = 'mutation ($input: CreateOrderInput!) { createOrder(input: $input) { status } }'
  const reply = await viaGraphql(ann, query, { input: { status: 'PLACED' } })
  assert.deepEqual([reply.status, reply.errors?.[0]?.code], [409, 'STATE'])
})

test('R147: a viewer who cannot read the row cannot change its state, and an anonymous one gets 401', async () => {
  const placed = await order('PLACED')
  assert.equal((await ways.PATCH!(bob, placed, { status: 'CANCELLED' })).status, 404)
  assert.equal((await ways.PATCH!(apis, placed, { status: 'CANCELLED' })).status, 401)
  assert.equal((await ways.updateOrder!(apis, placed, { status: 'CANCELLED' })).status, 401)
})

test('a conflict of states is reported together with the others', async () => {
  await ours().rest('POST', '/orders', { customer: ann.id, code: 'taken' })
  const reply = await ways.PATCH!(ann, await order('CART', {}), { status: 'PLACED', code: 'taken' })
  assert.deepEqual(
    reply.errors?.map(({ path, code }) => [path, code]),
    [
      ['status', 'STATE'],
      ['code', 'UNIQUE'],
    ],
  )
})

test('R142: a link is no transition: a viewer who may only change the state cannot link the row', async () => {
  const tag = ((await ours().rest('POST', '/tags', { word: 'w' })).body as { id: string }).id
  const placed = await order('PLACED')
  assert.equal((await cashier.rest('PUT', `/orders/${placed}/tags/${tag}`)).status, 403)
  assert.equal((await cashier.rest('PATCH', `/orders/${placed}`, { status: 'PAID', tags: [tag] })).status, 403)
})

test('R148: of many concurrent writers of one transition, one succeeds', async () => {
  for (let round = 0; round < 5; round++) {
    const placed = await order('PLACED')
    const writes = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? ways.PATCH!(cashier, placed, { status: 'PAID' })
        : ways.updateOrder!(ann, placed, { status: 'CANCELLED' }),
    )
    const replies = await Promise.all(writes)
    const state = await stateOf(placed)
    const won = state === 'PAID' ? 0 : 1
    for (const [index, { status }] of replies.entries()) assert.equal(status, index % 2 === won ? 200 : 409)
    const { body } = await ours().rest('GET', `/orders/${placed}?fields=_version`)
    assert.deepEqual(body, { _version: 2 })
  }
})

test('R149: each viewer gets, on both APIs, exactly the states that they can write now', async () => {
  const states = ['CART', 'PLACED', 'ON_HOLD', 'PAID', 'CANCELLED']
  const people = { ann, cashier, clerk }
  for (const state of states) {
    for (const fields of [{}, { address: 'here', lines: [{ what: 'tea' }] }, { secret: 'ok' }]) {
      for (const [name, client] of Object.entries(people)) {
        const id = await order(state, fields)
        const rest = await client.rest('GET', `/orders/${id}?fields=_statusTransitions`)
        const { data } = await client.graphql(`{ order(id: "${id}") { _statusTransitions } }`)
        const listed = (rest.body as { _statusTransitions: string[] })._statusTransitions
        assert.deepEqual(data, { order: { _statusTransitions: listed } })
        const could: string[] = []
        for (const to of states) {
          if (to === state) continue
          const { status } = await ways.PATCH!(client, await order(state, fields), { status: to })
          if (status === 200) could.push(to)
        }
        assert.deepEqual(listed, could, `${name} ${state} ${JSON.stringify(fields)}`)
      }
    }
  }
})

test('R149: a write answers with the transitions that are possible after it, lists have them, and an unknown name gets a suggestion', async () => {
  const cart = await order('CART')
  const moved = await ann.rest('PATCH', `/orders/${cart}?fields=status,_statusTransitions`, { status: 'PLACED' })
  assert.deepEqual(moved.body, { status: 'PLACED', _statusTransitions: ['CANCELLED'] })
  const listed = await cashier.rest('GET', `/orders?id=${cart}&fields=_statusTransitions,lines.what`)
  assert.deepEqual(listed.body, [{ _statusTransitions: ['PAID'], lines: [{ what: 'tea' }] }])
  const { body } = await cashier.rest('GET', `/orders/${cart}?fields=_statusTransition`)
  assert.match(JSON.stringify(body), /Did you mean \\"_statusTransitions\\"/)
})

test('transitions hold without accounts and rules too, and a row without a state starts like a new one', async () => {
  const open = await openApis(`
    type Door { id: ID! state: State note: String }
    enum State { SHUT @next(to: [OPEN]) OPEN @next(to: [SHUT], role: "porter") }`)
  try {
    await open.rest('PUT', '/doors/a', {})
    assert.equal((await open.rest('PATCH', '/doors/a', { state: null })).status, 409)
    assert.equal((await open.rest('PATCH', '/doors/a', { state: 'OPEN', note: 'x' })).status, 200)
    assert.equal((await open.rest('PATCH', '/doors/a', { state: 'SHUT' })).status, 401)
    const porter = open.as(withRole('porter'))
    assert.deepEqual((await porter.rest('GET', '/doors/a?fields=_stateTransitions')).body, {
      _stateTransitions: ['SHUT'],
    })
    assert.equal((await porter.rest('PATCH', '/doors/a', { state: 'SHUT' })).status, 200)
    await open.as(system).rest('PATCH', '/doors/a', { state: null })
    assert.deepEqual((await open.rest('GET', '/doors/a?fields=_stateTransitions')).body, {
      _stateTransitions: ['SHUT'],
    })
    const early = await open.rest('PATCH', '/doors/a', { state: 'OPEN' })
    assert.match(JSON.stringify(early.body), /has no state yet; it starts as SHUT/)
    assert.equal((await open.rest('PATCH', '/doors/a', { state: 'SHUT' })).status, 200)
  } finally {
    await open.close()
  }
})
