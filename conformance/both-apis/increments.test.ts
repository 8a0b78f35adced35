// `_increment`: an update that adds to the numbers of a row, through both APIs (docs/reference/rest.md, R58).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { anonymous, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import type { AppliedWrite, PendingWrite, ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { graphqlData, openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type User @account(login: "name") @allow { id: ID! name: String! @unique }
  type Part @allow {
    id: ID! name: String! stock: Int! @constraint(min: 0, max: 1000) spare: Int seen: Float big: BigInt
    price: Decimal @constraint(max: 100) rank: Int @unique code: Int @immutable items: Int @was(name: "count")
    tags: [String!]
  }
  type Safe @allow {
    id: ID! gold: Int! @allow(role: "keeper", to: [UPDATE]) hidden: Int @allow(role: "keeper", to: [READ])
  }
  type Query { nothing: Int @allow }
  type Mutation { take(id: ID!, count: Int!): Int! @allow }
`

const hooked: unknown[] = []
const service: ServiceCode = {
  resolvers: {
    Query: { nothing: () => null },
    Mutation: {
      take: async ({ id, count }, { write }) =>
        (await write.Part!.update(String(id), { _increment: { stock: -Number(count) } })).stock,
    },
  },
  before: { Part: ({ kind, next }: PendingWrite) => kind === 'update' && hooked.push(['before', next?.stock]) },
  after: { Part: ({ kind, row }: AppliedWrite) => kind === 'updated' && hooked.push(['after', row?.stock]) },
}

async function statusOf(answer: Promise<{ status: number }>): Promise<number> {
  return (await answer).status
}

interface Refusal {
  status: number
  code: string
  errors: { path: string; code: string; message: string }[]
}

describe('_increment', () => {
  let apis: TestApis
  before(async () => {
    apis = await openApis(sdl, {}, undefined, undefined, undefined, { service })
  })
  after(() => apis.close())

  const create = async (fields: object = {}) => {
    const row = (await restBody(apis, 'POST', '/parts', { name: 'Bolt', stock: 10, ...fields })) as { id: string }
    return row.id
  }
  const read = async (id: string) =>
    (await apis.rest('GET', `/parts/${id}?fields=name,stock,spare,seen,big,price,rank,_version`)).body as Record<
      string,
      unknown
    >

  /** The same refusal of both APIs. */
  const refusal = async (id: string, amounts: unknown, more: object = {}): Promise<Refusal> => {
    const rest = await apis.rest('PATCH', `/parts/${id}`, { ...more, _increment: amounts })
    const query = 'mutation ($id: ID!, $input: UpdatePartInput) { updatePart(id: $id, input: $input) { id } }'
    const { errors } = await apis.graphql(query, { id, input: { ...more, _increment: amounts } })
    const body = rest.body as Refusal
    assert.ok(errors.length > 0 && rest.status >= 400 && rest.status < 500, JSON.stringify([rest, errors]))
    if (errors[0]!.extensions?.code === body.code) {
      assert.deepEqual(
        errors[0]!.extensions.errors,
        body.errors.map(({ path, code, message }) => ({ path, code, message })),
      )
    } else assert.equal(body.status, 400, JSON.stringify(errors)) // GraphQL finds a value of another type itself
    return { ...body, status: rest.status }
  }

  test('adds to what the row holds, beside other fields, in every spelling', async () => {
    const id = await create({ seen: 1.5, big: '9007199254740993', price: '0.1' })
    const amounts = { stock: -1, seen: 0.25, big: '9007199254740993', price: '0.2' }
    const patched = await restBody(apis, 'PATCH', `/parts/${id}`, { name: 'Nut', _increment: amounts })
    assert.deepEqual(
      ['name', 'stock', 'seen', 'big', 'price'].map((name) => (patched as Record<string, unknown>)[name]),
      ['Nut', 9, 1.75, '18014398509481986', '0.3'],
    )
    const argument =
      'mutation ($id: ID!) { updatePart(id: $id, name: "Pin", _increment: {stock: -2, big: 1}) { stock big name } }'
    assert.deepEqual((await graphqlData(apis, argument, { id })).updatePart, {
      stock: 7,
      big: '18014398509481987',
      name: 'Pin',
    })
    const inInput =
      'mutation ($id: ID!, $n: Int) { updatePart(id: $id, input: {_increment: {stock: $n}}) { stock _version } }'
    assert.deepEqual((await graphqlData(apis, inInput, { id, n: -3 })).updatePart, { stock: 4, _version: 4 })
    const byVariable = 'mutation ($id: ID!, $by: IncrementPartInput) { updatePart(id: $id, _increment: $by) { stock } }'
    assert.deepEqual((await graphqlData(apis, byVariable, { id, by: { stock: 1 } })).updatePart, { stock: 5 })
    assert.deepEqual(await graphqlData(apis, 'mutation ($id: ID!) { take(id: $id, count: 2) }', { id }), { take: 3 })
    assert.equal((await read(id))._version, 6)
  })

  test('in /batch and in a transaction, each adds to what the writes before it left', async () => {
    const id = await create()
    const patch = { method: 'PATCH', path: `/parts/${id}`, body: { _increment: { stock: 5 } } }
    const replies = (await restBody(apis, 'POST', '/batch', [patch, patch])) as { body: { stock: number } }[]
    assert.deepEqual(
      replies.map(({ body }) => body.stock),
      [15, 20],
    )
    const query = `mutation ($id: ID!) @transaction {
      a: updatePart(id: $id, _increment: {stock: -20}) { stock }
      b: updatePart(id: $id, _increment: {stock: 1}) { stock } }`
    assert.deepEqual(await graphqlData(apis, query, { id }), { a: { stock: 0 }, b: { stock: 1 } })
    const broken = await apis.rest('POST', '/batch', [patch, { ...patch, body: { _increment: { stock: -9 } } }])
    assert.equal(broken.status, 409)
    assert.equal((broken.body as Refusal).errors[0]!.path, '1._increment.stock')
    assert.equal((await read(id)).stock, 1)
  })

  const takers: [string, number, () => Promise<TestApis>][] = [
    ['with hooks', 10, async () => apis],
    [
      'without custom code',
      50,
      () => openApis('type Part @allow { id: ID! name: String stock: Int! @constraint(min: 0) }'),
    ],
  ]
  for (const [kind, clients, open] of takers) {
    test(`R58: many at once lose none, and none goes below the minimum, ${kind}`, async () => {
      const own = await open()
      const { id } = (await restBody(own, 'POST', '/parts', { name: 'Bolt', stock: 10 })) as { id: string }
      const add = `mutation { updatePart(id: "${id}", _increment: {stock: 1}) { id } }`
      const added = await Promise.all(
        Array.from({ length: clients }, () => [
          statusOf(own.rest('PATCH', `/parts/${id}`, { _increment: { stock: 1 } })),
          graphqlData(own, add).then(() => 200),
        ]).flat(),
      )
      assert.deepEqual(new Set(added), new Set([200]))
      const taken = await Promise.all(
        Array.from({ length: clients }, () =>
          statusOf(own.rest('PATCH', `/parts/${id}`, { _increment: { stock: -10 } })),
        ),
      )
      const tens = 1 + clients / 5
      assert.deepEqual(taken.toSorted(), [...Array(tens).fill(200), ...Array(clients - tens).fill(409)])
      assert.equal(((await own.rest('GET', `/parts/${id}`)).body as { stock: number }).stock, 0)
      if (own !== apis) await own.close()
    })
  }

  test('a sum that the schema does not allow is a conflict at its place, and changes nothing', async () => {
    const id = await create({ spare: 2147483647, price: '99.99', seen: 1.7e308, big: `${'9'.repeat(200)}` })
    const wrong: [object, string][] = [
      [{ stock: -11 }, 'must be at least 0, and would be -1.'],
      [{ stock: 991 }, 'must be at most 1000, and would be 1001.'],
      [{ price: '0.02' }, 'must be at most 100, and would be 100.01.'],
      [{ spare: 1 }, 'must be between -2147483648 and 2147483647 (32 bits), and would be 2147483648.'],
      [{ seen: 1e308 }, 'must be a finite number of double precision, and would be Infinity.'],
      [{ big: '1' }, 'would have more than 200 digits.'],
    ]
    const before = await read(id)
    for (const [amounts, message] of wrong) {
      const path = `_increment.${Object.keys(amounts)[0]}`
      const { status, code, errors } = await refusal(id, amounts)
      assert.deepEqual([status, code, errors[0]], [409, 'CONFLICT', { ...errors[0], path, code: 'RANGE', message }])
    }
    assert.deepEqual(await read(id), before)
  })

  test('a taken unique value is a conflict too', async () => {
    await create({ rank: 7 })
    const id = await create({ rank: 6 })
    const { status, errors } = await refusal(id, { rank: 1 })
    assert.deepEqual([status, errors[0]!.path, errors[0]!.code], [409, '_increment.rank', 'UNIQUE'])
    assert.equal((await read(id)).rank, 6)
  })

  test('null stays null, and an update that changes nothing makes no version', async () => {
    const id = await create()
    assert.equal(
      ((await restBody(apis, 'PATCH', `/parts/${id}`, { _increment: { spare: 3 } })) as { spare: null }).spare,
      null,
    )
    assert.equal((await read(id))._version, 1)
    for (const nothing of [null, {}]) await restBody(apis, 'PATCH', `/parts/${id}`, { _increment: nothing })
    assert.equal((await read(id))._version, 1)
  })

  test('input that counts in nothing is refused with its place', async () => {
    const id = await create()
    const wrong: [unknown, object, string][] = [
      [{ stock: 0 }, {}, '_increment.stock'],
      [{ price: '0.00' }, {}, '_increment.price'],
      [{ stock: 1.5 }, {}, '_increment.stock'],
      [{ stock: '1' }, {}, '_increment.stock'],
      [{ stock: 2147483648 }, {}, '_increment.stock'],
      [{ stock: null }, {}, '_increment.stock'],
      [{ price: 'NaN' }, {}, '_increment.price'],
      [{ big: '9'.repeat(201) }, {}, '_increment.big'],
      [{ name: 1 }, {}, '_increment.name'],
      [{ tags: 1 }, {}, '_increment.tags'],
      [{ code: 1 }, {}, '_increment.code'],
      [{ stok: 1 }, {}, '_increment.stok'],
      [{ stock: 1 }, { stock: 3 }, '_increment.stock'],
      [{ items: 1 }, { count: 3 }, '_increment.items'],
      [{ items: 1, count: 1 }, {}, '_increment.count'],
      [7, {}, '_increment'],
    ]
    for (const [amounts, more, path] of wrong) {
      const { status, errors } = await refusal(id, amounts, more)
      assert.deepEqual([status, errors[0]!.path], [400, path], JSON.stringify([amounts, errors]))
    }
    const twice = `mutation { updatePart(id: "${id}", stock: 3, _increment: {stock: 1}) { id } }`
    assert.equal((await apis.graphql(twice)).errors[0]!.extensions!.errors![0]!.path, '_increment.stock')
    assert.equal((await read(id))._version, 1)
  })

  test('a create, a PUT and a JSON patch have no increments', async () => {
    const id = await create()
    const body = { name: 'x', stock: 1, _increment: { stock: 1 } }
    assert.equal((await apis.rest('POST', '/parts', body)).status, 400)
    assert.equal((await apis.rest('PUT', `/parts/${id}`, body)).status, 400)
    const headers = { 'content-type': 'application/json-patch+json' }
    const operations = [
      [{ op: 'add', path: '/_increment', value: { stock: 1 } }],
      [{ op: 'replace', path: '', value: body }],
    ]
    for (const patch of operations) {
      const reply = await apis.rest('PATCH', `/parts/${id}`, patch, headers)
      assert.deepEqual([reply.status, (reply.body as Refusal).errors[0]!.path], [400, '_increment'])
    }
    assert.equal((await read(id)).stock, 10)
  })

  test('hooks see the sum', async () => {
    const id = await create()
    hooked.length = 0
    await restBody(apis, 'PATCH', `/parts/${id}`, { _increment: { stock: -4 } })
    assert.deepEqual(hooked, [
      ['before', 6],
      ['after', 6],
    ])
  })

  test('READ and UPDATE of the field are needed, also where the number is null', async () => {
    const keeper: Viewer = { ...anonymous, authenticated: true, roles: ['keeper'] }
    const visitor: Viewer = { ...anonymous, authenticated: true }
    const { id } = (await restBody(apis.as(keeper), 'POST', '/safes', { gold: 1 })) as { id: string }
    for (const amounts of [{ gold: 1 }, { hidden: 1 }]) {
      const reply = await apis.as(visitor).rest('PATCH', `/safes/${id}`, { _increment: amounts })
      const path = `_increment.${Object.keys(amounts)[0]}`
      assert.deepEqual([reply.status, (reply.body as Refusal).errors[0]!.path], [403, path])
      const query = 'mutation ($id: ID!, $by: IncrementSafeInput) { updateSafe(id: $id, _increment: $by) { id } }'
      const { errors } = await apis.as(visitor).graphql(query, { id, by: amounts })
      assert.equal(errors[0]!.extensions!.code, 'FORBIDDEN')
    }
    const counted = await restBody(apis.as(keeper), 'PATCH', `/safes/${id}`, { _increment: { gold: 1, hidden: 1 } })
    assert.deepEqual(counted, { id, gold: 2, hidden: null })
  })

  test('a repeated request with its idempotency key counts once', async () => {
    const id = await create()
    const send = () => apis.rest('PATCH', `/parts/${id}`, { _increment: { stock: -1 } }, { 'idempotency-key': '"one"' })
    assert.deepEqual([(await send()).status, (await send()).status], [200, 200])
    assert.equal((await read(id)).stock, 9)
  })
})
