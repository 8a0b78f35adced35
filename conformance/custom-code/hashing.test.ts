// Passwords beside custom code: hashing takes no transaction's time, through whatever way the account comes.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { anonymous, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import { ApiError } from '../../packages/twain/src/base/index.ts'
import type { Context, PendingWrite, ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { graphqlData, openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type User @account(login: "name") @allow { id: ID! name: String! @unique }
  type Trace @allow { id: ID! text: String! }
  type Mark @allow { id: ID! text: String! }
  extend type Mutation { run: String @allow }
`

/** Set by each test. */
let run: (context: Context) => unknown = () => null
let refuse: { before?: string; after?: string } = {}

const refuseIf = (name: string | undefined, row: unknown) => {
  if (name !== undefined && (row as { name?: string } | null)?.name === name)
    throw new ApiError('CONFLICT', `${name} is refused.`)
}

const service: ServiceCode = {
  resolvers: { Mutation: { run: (_args, context) => run(context) } },
  before: { User: ({ next }: PendingWrite) => refuseIf(refuse.before, next) },
  after: {
    async User({ row }, { system }) {
      await system.write.Trace!.create({ text: 'a hook ran' })
      refuseIf(refuse.after, row)
    },
  },
}

const viewer: Viewer = { ...anonymous, authenticated: true, account: 'u0' }

describe('passwords beside custom code', () => {
  let apis: TestApis
  const hashed: string[] = []
  const passwordOf = (name: string) => `the password of ${name}`
  const user = (name: string) => ({ name, password: passwordOf(name) })
  before(async () => {
    const hashPassword = async (password: string) => {
      hashed.push(password)
      // On SQLite this would wait for an open transaction, and on PostgreSQL for its connection.
      await restBody(apis, 'POST', '/marks', { text: password })
      return password
    }
    // Long enough that a transaction that waits for the mark fails by it.
    apis = await openApis(sdl, { timeSeconds: 4 }, undefined, undefined, undefined, {
      service,
      hashPassword,
      maxCodeMs: 1000,
      poolSize: 4,
    })
  })
  after(() => apis.close())
  beforeEach(() => {
    hashed.length = 0
    refuse = {}
  })

  const names = async () => {
    const users = (await restBody(apis, 'GET', '/users?sort=name&limit=100')) as { name: string }[]
    return users.map(({ name }) => name)
  }

  /** The ways of writing accounts with these names. */
  const ways: Record<string, (names: string[]) => Promise<unknown>> = {
    'POST of one': ([name]) => restBody(apis, 'POST', '/users', user(name!)),
    'POST of a list': (given) => restBody(apis, 'POST', '/users', given.map(user)),
    '/batch': (given) =>
      restBody(
        apis,
        'POST',
        '/batch',
        given.map((name) => ({ method: 'POST', path: '/users', body: user(name) })),
      ),
    'a mutation': ([name]) =>
      graphqlData(apis, `mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }`, {
        input: user(name!),
      }),
    'a list of GraphQL': (given) =>
      graphqlData(apis, `mutation ($inputs: [CreateUserInput!]!) { createUsers(inputs: $inputs) { id } }`, {
        inputs: given.map(user),
      }),
    'a mutation @transaction': ([a, b]) =>
      graphqlData(
        apis,
        `mutation ($a: CreateUserInput!, $b: CreateUserInput!) @transaction { a: createUser(input: $a) { id } b: createUser(input: $b) { id } }`,
        { a: user(a!), b: user(b ?? `${a}2`) },
      ),
    'a write of custom code': async (given) => {
      run = async ({ write }) => {
        for (const name of given) await write.User!.create(user(name))
      }
      await restBody(apis, 'POST', '/run-requests', {})
    },
    'a transaction of custom code': async (given) => {
      run = ({ transaction }) =>
        transaction(async ({ write }) => {
          for (const name of given) await write.User!.create(user(name))
        })
      await restBody(apis, 'POST', '/run-requests', {})
    },
  }

  for (const [way, write] of Object.entries(ways)) {
    test(`${way}: hashed once, outside of every transaction`, async () => {
      const key = way.replaceAll(/\W/g, '')
      await write([`${key}1`, `${key}2`])
      const made = (await names()).filter((name) => name.startsWith(key))
      assert.ok(made.length > 0)
      assert.deepEqual(hashed.sort(), made.map(passwordOf).sort())
    })

    test(`${way}: who is refused, by a rule or by a hook, is never hashed`, async () => {
      const taken = `taken${way.replaceAll(/\W/g, '')}`
      await restBody(apis, 'POST', '/users', user(taken))
      hashed.length = 0
      await assert.rejects(write([taken]), /CONFLICT/)
      for (const hook of ['before', 'after'] as const) {
        refuse = { [hook]: 'refused' }
        await assert.rejects(write(['refused']), /is refused/)
      }
      assert.deepEqual(hashed, [])
    })
  }

  test('a list of creates, each for itself: only those that are made', async () => {
    refuse = { after: 'lenient2' }
    const inputs = ['lenient1', 'lenient2', 'lenient3', 'lenient1'].map(user)
    const query = `mutation ($inputs: [CreateUserInput!]!) { createEachUser(inputs: $inputs) { status } }`
    const { createEachUser } = await graphqlData(apis, query, { inputs })
    assert.deepEqual(
      (createEachUser as { status: number }[]).map(({ status }) => status),
      [201, 409, 201, 409],
    )
    assert.deepEqual(hashed, [passwordOf('lenient1'), passwordOf('lenient3')])
  })

  test('accounts with the same password have different hashes', async () => {
    const same = ['same1', 'same2', 'same3'].map((name) => ({ name, password: 'the same one' }))
    await restBody(apis, 'POST', '/users', same)
    run = ({ transaction }) =>
      transaction(async ({ write }) => {
        for (const { password } of same) await write.User!.create({ name: `code${Math.random()}`, password })
      })
    await restBody(apis, 'POST', '/run-requests', {})
    assert.deepEqual(hashed, Array(6).fill('the same one'))
  })

  test('a changed password, with the current one, is hashed outside too', async () => {
    await restBody(apis, 'PUT', `/users/${viewer.account}`, user('owner'))
    hashed.length = 0
    const owner = { ...apis, ...apis.as(viewer) }
    const change = { password: passwordOf('the new owner'), currentPassword: passwordOf('owner') }
    await restBody(owner, 'PATCH', `/users/${viewer.account}`, change)
    assert.deepEqual(hashed, [passwordOf('the new owner')])
  })

  test('code that makes another password each time is not run for ever', async () => {
    let calls = 0
    run = ({ transaction }) =>
      transaction(async ({ write }) => {
        calls++
        await write.User!.create({ name: 'random', password: `a random password ${Math.random()}` })
      })
    // The hash is made inside, so nothing else may write meanwhile.
    const quiet = await openApis(sdl, {}, undefined, undefined, undefined, { service })
    await restBody(quiet, 'POST', '/run-requests', {}).finally(() => quiet.close())
    assert.equal(calls, 3)
  })
})
