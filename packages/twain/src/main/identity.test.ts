// Authentication through both APIs of a whole service, with the attacks that it must withstand.
// stores: sqlite, postgres
// process: own (it measures sign-ins)

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { plainRequest } from '#base/http'
import { defaultLimits } from '#plan'
import { makeTestPlace } from '#test-place'
import { openService } from './service.ts'

const sdl = `
type User @account
  @allow(to: [READ, CREATE]) @allow(who: "self") @allow(role: "admin") {
  id: ID!
  email: String! @unique
  name: String
  roles: [String!]
  joined: DateTime @auto(set: CREATE_TIME)
}
type Post @allow(to: [READ]) @allow(who: "author") {
  id: ID!
  title: String!
  author: User! @auto(set: VIEWER)
}
`
const password = 'correct horse battery'

test('of 50 parallel sign-ups with one login one succeeds', async (t) => {
  const { rest, graphql } = await open(t)
  const statuses = await Promise.all(
    Array.from({ length: 50 }, async (_, n) => {
      const email = n % 2 === 0 ? 'ann@example.org' : 'ANN@example.org'
      if (n % 5 > 0) return (await rest('POST', '/users', { email, password })).status
      const input = { email, password }
      const { errors } = await graphql('mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }', {
        input,
      })
      if (errors === undefined) return 201
      return errors[0]!.extensions.code === 'CONFLICT' ? 409 : errors[0]!.extensions.code
    }),
  )
  assert.deepEqual(
    [statuses.filter((status) => status === 201).length, statuses.filter((status) => status === 409).length],
    [1, 49],
  )
})

test('logins that differ only in case or Unicode form are one login', async (t) => {
  const { rest } = await open(t)
  assert.equal((await rest('POST', '/users', { email: 'strasse@example.org', password })).status, 201)
  for (const email of [
    'STRASSE@example.org',
    'stra\u00dfe@example.org',
    'stra\u017f\u017fe@example.org',
    '\uff53trasse@example.org',
    'stras\u200bse@example.org',
  ]) {
    assert.equal((await rest('POST', '/users', { email, password })).status, 409, email)
  }
})

test('a failed sign-in has the same bytes and about the same duration for a known and an unknown login', async (t) => {
  const { rest } = await open(t)
  for (let round = 0; round < 11; round++) await rest('POST', '/users', { email: `ann${round}@example.org`, password })
  const times: Record<string, number[]> = { ann: [], bob: [] }
  const answers = new Set<string>()
  for (let round = 0; round < 11; round++) {
    for (const name of ['ann', 'bob']) {
      const before = process.cpuUsage() // independent of other load on the machine
      // Another address and login in each round, because failed sign-ins are delayed.
      const body = { email: `${name}${round}@example.org`, password: 'wrong horse' }
      const reply = await rest('POST', '/tokens', body, null, `192.0.2.${round}`)
      const { user, system } = process.cpuUsage(before)
      times[name]!.push(user + system)
      answers.add(JSON.stringify([reply.status, reply.headers, reply.body]))
    }
  }
  assert.equal(answers.size, 1)
  const ratio = median(times.ann!) / median(times.bob!)
  assert.ok(ratio > 0.8 && ratio < 1.25, `ratio of medians ${ratio}`)
})

test('an object, a list or null instead of a text is a 400', async (t) => {
  const { rest, graphql } = await open(t)
  for (const value of [{ $ne: null }, ['ann@example.org'], 7, null, undefined]) {
    for (const body of [
      { email: value, password },
      { email: 'ann@example.org', password: value },
    ]) {
      for (const path of ['/tokens', '/users']) {
        const reply = await rest('POST', path, body)
        assert.equal(reply.status, 400, `${path} ${JSON.stringify(body)} ${JSON.stringify(reply.body)}`)
      }
      const { errors } = await graphql(
        'mutation ($input: CreateTokenInput!) { createToken(input: $input) { token } }',
        {
          input: body,
        },
      )
      assert.ok(errors !== undefined)
    }
    assert.equal((await rest('POST', '/tokens', { refreshToken: value })).status, 400)
  }
})

test('R81: a refresh token returns new ones of both kinds, and the new token is valid', async (t) => {
  const { rest, signUp } = await open(t)
  const { id } = await signUp('ann@example.org')
  const { body: first } = await rest('POST', '/tokens', { email: 'ann@example.org', password })
  const { refreshToken } = first as { refreshToken: string }
  const renewed = await rest('POST', '/tokens', { refreshToken })
  const next = renewed.body as { token: string; refreshToken: string }
  assert.equal(renewed.status, 201)
  assert.notEqual(next.refreshToken, refreshToken)
  assert.equal((await rest('PATCH', `/users/${id}`, { name: 'Ann' }, next.token)).status, 200)
})

test('a password of a megabyte is a 400 without hashing it', async (t) => {
  const { rest } = await open(t)
  const body = { email: 'ann@example.org', password: 'x'.repeat(1_000_000) }
  for (const path of ['/users', '/tokens']) {
    const before = process.cpuUsage() // of all threads, including those that hash passwords
    const reply = await rest('POST', path, body)
    const { user, system } = process.cpuUsage(before)
    assert.equal(reply.status, 400)
    assert.ok(user + system < 400_000, `${user + system} µs`)
  }
})

test('id, roles, and what the server sets can’t be set, and the row stays as it was', async (t) => {
  const { rest, signUp } = await open(t)
  const ann = await signUp('ann@example.org')
  for (const extra of [{ id: 'x' }, { roles: ['admin'] }, { joined: '2020-01-01T00:00:00Z' }, { _version: 9 }]) {
    const made = await rest('POST', '/users', { email: 'new@example.org', password, ...extra })
    assert.ok([400, 403].includes(made.status), `${JSON.stringify(extra)} ${made.status}`)
  }
  const before = (await rest('GET', `/users/${ann.id}`)).body
  for (const change of [{ id: 'x' }, { roles: ['admin'] }, { joined: '2020-01-01T00:00:00Z' }]) {
    const changed = await rest('PATCH', `/users/${ann.id}`, change, ann.token)
    assert.ok([400, 403].includes(changed.status), `${JSON.stringify(change)} ${changed.status}`)
  }
  assert.deepEqual((await rest('GET', `/users/${ann.id}`)).body, before)
  const bob = await signUp('bob@example.org')
  const post = await rest('POST', '/posts', { title: 'x', author: bob.id }, ann.token)
  assert.ok([400, 403].includes(post.status), String(post.status))
})

test('a password can not be read: not in rows, filters, sorts, errors or the log', async (t) => {
  const { rest, graphql, signUp, logged } = await open(t)
  const ann = await signUp('ann@example.org')
  for (const path of ['/users?password=x', '/users?sort=password', '/users?fields=password']) {
    assert.equal((await rest('GET', path, undefined, ann.token)).status, 400, path)
  }
  assert.ok((await graphql('{ users { password } }')).errors !== undefined)
  const texts = [
    await rest('GET', '/users', undefined, ann.token),
    await rest('POST', '/users', { email: 7, password }),
  ]
  assert.doesNotMatch(JSON.stringify([texts, logged]), /correct horse|argon2/)
})

test('an invalid token is 401 in both APIs, but not on health checks', async (t) => {
  const { rest, graphql } = await open(t)
  assert.equal((await rest('GET', '/users', undefined, 'x')).status, 401)
  const answer = await graphql('{ users { id } }', {}, 'x')
  assert.deepEqual([answer.status, answer.errors![0]!.extensions.code], [401, 'UNAUTHENTICATED'])
  assert.equal((await rest('GET', '/healthz', undefined, 'x')).status, 200)
})

test('the accounts of a seed are created without access rules', async (t) => {
  const { asSystem } = await open(t)
  const reply = await asSystem('POST', '/users', { email: 'root@example.org', password, roles: ['admin'] })
  assert.equal(reply.status, 201)
})

interface Asked {
  status: number
  headers: object
  body: unknown
}

async function open(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-identity-'))
  const schemaFile = join(folder, 'schema.graphql')
  writeFileSync(schemaFile, sdl)
  const logged: unknown[] = []
  const record = (...words: unknown[]) => void logged.push(words)
  const log = { info: record, warn: record, error: record }
  const { place, drop } = await makeTestPlace(join(folder, 'data'))
  const service = await openService({ schemaFile, ...place, limits: defaultLimits, log })
  t.after(async () => {
    await service.close()
    await drop()
    rmSync(folder, { recursive: true })
  })

  const requester =
    (handle: typeof service.handle) =>
    async (
      method: string,
      at: string,
      value?: unknown,
      token?: string | null,
      address = '192.0.2.1',
    ): Promise<Asked> => {
      const body = value === undefined ? '' : JSON.stringify(value)
      const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) }
      const reply = await handle(plainRequest(method, at, { headers, body, address }))
      return {
        status: reply.status,
        headers: reply.headers,
        body: reply.body === null ? null : JSON.parse(String(reply.body)),
      }
    }
  const rest = requester(service.handle)

  async function graphql(query: string, variables: object = {}, token?: string) {
    const { status, body } = await rest('POST', '/graphql', { query, variables }, token)
    return { status, ...(body as { errors?: { extensions: { code: string } }[] }) }
  }

  async function signUp(email: string): Promise<{ id: string; token: string }> {
    const { body: row } = await rest('POST', '/users', { email, password })
    const { body: session } = await rest('POST', '/tokens', { email, password })
    return { id: (row as { id: string }).id, token: (session as { token: string }).token }
  }
  return { rest, graphql, signUp, asSystem: requester(service.handleAsSystem), logged }
}

function median(numbers: number[]): number {
  return numbers.sort((a, b) => a - b)[numbers.length >> 1]!
}
