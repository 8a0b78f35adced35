// Rules on custom operations (docs/reference/rules.md#custom-operations), through both APIs.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { anonymous, system, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import type { ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { openApis, type TestApis } from '../harness/open-apis.ts'
import { called, operationDifferences, operationSchema, operationService } from './cells/operation-cells.ts'

const ann: Viewer = { account: 'ann', roles: [], authenticated: true, token: 't' }

test('each kind of viewer may call exactly the operations that a rule allows, and the code of others does not run', async () => {
  const apis = await openApis(operationSchema, {}, undefined, undefined, undefined, { service: operationService })
  try {
    assert.deepEqual(await operationDifferences(apis), [])
    called.length = 0
    assert.equal(
      (await apis.as(system).rest('GET', '/read-closed')).status,
      200,
      'no rule applies to the server itself',
    )
  } finally {
    await apis.close()
  }
})

const sdl = `type User @account(login: "name") @allow(to: [READ]) { id: ID! name: String! @unique }
extend type Query {
  report(year: Int!): Int @allow(role: "staff") @allow(role: "auditor") @cacheControl(maxAge: 60, scope: PUBLIC)
  news: Int @allow @cacheControl(maxAge: 60, scope: PUBLIC)
}
extend type Mutation {
  ship(order: ID!): Int! @allow(who: "signedIn")
  purge: Int
}`

const reportWay =
  'Query.report: schema.graphql:3 @allow(role: "staff") or schema.graphql:3 @allow(role: "auditor") would allow it.'
const shipWay = 'Mutation.ship: schema.graphql:7 @allow(who: "signedIn") would allow it.'
const purgeWay = 'Mutation.purge: schema.graphql:8 has no @allow, so only the role admin may.'

for (const inAnswer of [true, false]) {
  describe(`a denied call names the rules that would allow it, in the log${inAnswer ? ' and in the answer' : ' alone'}`, () => {
    let apis: TestApis
    const logged: string[] = []
    let calls = 0
    const count = () => ++calls
    before(async () => {
      const service: ServiceCode = {
        resolvers: { Query: { report: count, news: count }, Mutation: { ship: count, purge: count } },
      }
      const log = (rules: string, denied: string) => void logged.push(`${denied} ${rules}`)
      apis = await openApis(sdl, {}, undefined, { inAnswer, log }, undefined, { service })
    })
    beforeEach(() => {
      logged.length = 0
      calls = 0
    })
    after(() => apis.close())

    const cases: [Viewer, string, string, string, string, number, string, string][] = [
      [ann, 'GET', '/report?year=1', '{ report(year: 1) }', 'You may not call report.', 403, 'FORBIDDEN', reportWay],
      [
        anonymous,
        'POST',
        '/ship-requests',
        'mutation { ship(order: "1") }',
        'Nobody may call ship without signing in.',
        401,
        'UNAUTHENTICATED',
        shipWay,
      ],
      [ann, 'POST', '/purge-requests', 'mutation { purge }', 'You may not call purge.', 403, 'FORBIDDEN', purgeWay],
    ]
    for (const [viewer, method, path, document, message, status, code, way] of cases) {
      test(`${method} ${path}: ${status}`, async () => {
        const hint = inAnswer ? way : undefined
        const rest = await apis.as(viewer).rest(method, path, method === 'GET' ? undefined : { order: '1' })
        const problem = rest.body as { code: string; detail: string; hint?: string }
        assert.deepEqual([rest.status, problem.code, problem.detail, problem.hint], [status, code, message, hint])
        assert.equal(rest.headers['www-authenticate'], status === 401 ? 'Bearer' : undefined)
        const { errors } = await apis.as(viewer).graphql(document)
        assert.deepEqual(
          errors.map((error) => [error.message, error.extensions?.code, error.extensions?.hint]),
          [[message, code, hint]],
        )
        assert.deepEqual([logged, calls], [[`call ${way}`, `call ${way}`], 0])
      })
    }

    test('REST refuses a call before it looks at the arguments, the body and the idempotency key', async () => {
      for (const [path, body] of [
        ['/report?nope=1', undefined],
        ['/ship-requests', '{"order": '],
      ] as const) {
        const request = { method: body === undefined ? 'GET' : 'POST', path, ...(body === undefined ? {} : { body }) }
        assert.equal((await apis.send('rest', request, anonymous)).status, 401, path)
      }
      const denied = await apis.as(ann).rest('POST', '/purge-requests', {}, { 'idempotency-key': '"k"' })
      assert.equal(denied.status, 403)
    })

    test('in a GraphQL query, and in a batch of documents, only the denied call fails', async () => {
      const { data, errors } = await apis.as(ann).graphql('{ news report(year: 1) }')
      assert.deepEqual([data, errors[0]?.path], [{ news: 1, report: null }, ['report']])
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify([{ query: '{ news }' }, { query: '{ report(year: 1) }' }])
      const reply = await apis.send('graphql', { method: 'POST', path: '/graphql', headers, body }, ann)
      const [first, second] = JSON.parse(String(reply.body)) as { data: object; errors?: { extensions: object }[] }[]
      assert.deepEqual([first?.data, first?.errors], [{ news: 2 }, undefined])
      assert.deepEqual(second?.errors?.[0]?.extensions, { code: 'FORBIDDEN', ...(inAnswer ? { hint: reportWay } : {}) })
    })

    test('in a mutation, only the denied call fails', async () => {
      const { data } = await apis.as(ann).graphql('mutation { a: ship(order: "1") purge b: ship(order: "1") }')
      assert.deepEqual([data, calls], [{ a: 1, purge: null, b: 2 }, 2])
    })

    test('a shared cache stores only the results of operations that everyone may call', async () => {
      const staff = apis.as({ ...ann, roles: ['staff'] })
      const cached = async (path: string) => (await staff.rest('GET', path)).headers['cache-control']
      assert.equal(await cached('/report?year=1'), 'private, max-age=60')
      assert.equal(await cached('/news'), 'public, max-age=60')
    })

    test('a viewer who loses the role does not get the remembered result of an earlier call', async () => {
      const key = { 'idempotency-key': '"again"' }
      const post = (roles: string[]) => apis.as({ ...ann, roles }).rest('POST', '/purge-requests', {}, key)
      assert.equal((await post(['admin'])).status, 200)
      assert.equal((await post([])).status, 403)
    })
  })
}

test('a role that only a rule on an operation or on a computed field names counts', async () => {
  const service: ServiceCode = {
    resolvers: { Query: { x: () => 1 }, Note: { loud: (rows: readonly object[]) => rows.map(() => '!') } },
  }
  const sdlWithoutAccounts = `type Note { id: ID! loud: String @computed @allow(role: "a", to: [READ]) }
    extend type Query { x: Int @allow(role: "b") }`
  const apis = await openApis(sdlWithoutAccounts, {}, undefined, undefined, undefined, { service })
  try {
    await apis.as(system).rest('PUT', '/notes/n1', {})
    const answers = async (roles: string[]) => {
      const client = apis.as({ ...ann, account: null, roles })
      const note = (await client.graphql('{ note(id: "n1") { loud } }')).data?.note
      return [(note as { loud: string | null }).loud, (await client.rest('GET', '/x')).status]
    }
    assert.deepEqual(await answers(['a']), ['!', 403])
    assert.deepEqual(await answers(['b']), [null, 200])
    assert.deepEqual((await apis.rest('GET', '/x')).status, 401)
  } finally {
    await apis.close()
  }
})
