// One request sets ten passwords at most. In a service with hooks it runs several times, and its passwords count once.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestService } from '../harness/test-service.ts'

const sdl = `type User @account(login: "name") @allow { id: ID! name: String! @unique }`

const code = `export default { after: { User({ row }) { if (row?.name === 'refused') throw new Error('refused') } } }`

interface Account {
  name: string
  password: string
}

let last = 0
const accounts = (count: number): Account[] =>
  Array.from({ length: count }, () => ({ name: `user ${++last}`, password: 'correct horse battery staple' }))

describe('passwords of one request, beside a hook', () => {
  const closing: (() => unknown)[] = []
  let service: TestService
  before(async () => {
    const t = { after: (close: () => unknown) => void closing.unshift(close) } as Parameters<typeof TestService.open>[0]
    service = await TestService.open(t, sdl, { code })
  })
  after(async () => {
    for (const close of closing) await close()
  })

  const asBatch = (all: Account[]) => all.map((body) => ({ method: 'POST', path: '/users', body }))
  const asFields = (all: Account[], directive = '') => {
    const fields = all.map((_, index) => `u${index}: createUser(input: $u${index}) { id }`)
    const query = `mutation (${all.map((_, index) => `$u${index}: CreateUserInput!`)}) ${directive} { ${fields.join(' ')} }`
    return { query, variables: Object.fromEntries(all.map((one, index) => [`u${index}`, one])) }
  }
  const asList = (inputs: Account[]) => ({
    query: 'mutation ($inputs: [CreateUserInput!]!) { createUsers(inputs: $inputs) { id } }',
    variables: { inputs },
  })

  const ways: Record<string, (all: Account[]) => [path: string, body: unknown]> = {
    'a list': (all) => ['/users', all],
    '/batch': (all) => ['/batch', asBatch(all)],
    'a list of GraphQL': (all) => ['/graphql', asList(all)],
    'root fields of a mutation': (all) => ['/graphql', asFields(all)],
    '@transaction': (all) => ['/graphql', asFields(all, '@transaction')],
  }

  for (const [way, made] of Object.entries(ways)) {
    test(`${way}: ten are made, and eleven are refused`, async () => {
      const ten = await service.send('POST', ...made(accounts(10)))
      assert.ok(ten.status < 300 && ten.body.errors === undefined, JSON.stringify(ten.body))
      const eleven = JSON.stringify((await service.send('POST', ...made(accounts(11)))).body)
      assert.match(eleven, /may set 10 passwords at most/)
    })
  }

  test('creates that are each for itself: those that are tried again count once', async () => {
    const all = accounts(10)
    all[5]!.name = all[2]!.name
    const query = 'mutation ($inputs: [CreateUserInput!]!) { createEachUser(inputs: $inputs) { status } }'
    const { body } = await service.send('POST', '/graphql', { query, variables: { inputs: all } })
    assert.deepEqual(
      body.data.createEachUser.map(({ status }: { status: number }) => status),
      [201, 201, 201, 201, 201, 409, 201, 201, 201, 201],
    )
  })
})
