// `ApiKey` is a resource of the model: administrators list, create and end keys with both APIs. Only the response to its create shows a key.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { awaitThat, JobPlace } from '../custom-code/job-place.ts'

const sdl = 'type Part @allow { id: ID! name: String! }'

test('R204 administrators list API keys with filters, sorts and pages; nothing secret is in them', async (t) => {
  const { get, graphql, keys } = await openKeys(t)
  const all = await get('')
  assert.deepEqual(
    all.body.map((key: object) => Object.keys(key)),
    Array(3).fill(['id', 'name', 'roles', 'createdAt', 'lastUsedAt']),
  )
  assert.deepEqual(
    all.body.map(({ name, roles }: { name: string; roles: string[] }) => [name, roles]),
    [
      ['second', ['importer', 'reader']],
      ['first', ['importer']],
      ['boss', ['admin']],
    ],
  )
  for (const key of keys) assert.ok(!JSON.stringify(all.body).includes(key))
  assert.equal(all.headers['cache-control'], 'no-store')
  assert.deepEqual((await get('?name[startsWith]=f&fields=name')).body, [{ name: 'first' }])
  assert.deepEqual((await get('?roles[contains]=reader&fields=name')).body, [{ name: 'second' }])
  assert.deepEqual((await get('?sort=name&fields=name&limit=2')).body, [{ name: 'boss' }, { name: 'first' }])
  const { data } = await graphql('{ apiKeysConnection(first: 1) { totalCount edges { node { name roles } } } }')
  assert.deepEqual(data.apiKeysConnection, {
    totalCount: 3,
    edges: [{ node: { name: 'second', roles: ['importer', 'reader'] } }],
  })
})

test('R204 a delete ends a key at once, once for an idempotency key, and only for administrators', async (t) => {
  const { service, get, graphql, keys } = await openKeys(t)
  const [boss = '', first = '', second = ''] = keys
  const [two, one] = (await get('')).body as { id: string; name: string }[]
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
  const list = (key: string) => service.send('GET', '/api-keys', undefined, bearer(key))
  assert.deepEqual([(await list(boss)).status, (await list(first)).status], [200, 403])
  const remove = (id: string, headers: Record<string, string>) =>
    service.send('DELETE', `/api-keys/${id}`, undefined, headers)
  assert.equal((await remove(one!.id, {})).status, 401)
  assert.equal((await remove(one!.id, bearer(second))).status, 403)
  assert.equal((await remove(one!.id, { ...bearer(boss), 'if-match': '"2-x"' })).status, 412)

  const once = { ...bearer(boss), 'idempotency-key': 'end' }
  const ended = [await remove(one!.id, once), await remove(one!.id, once), await remove(one!.id, bearer(boss))]
  assert.deepEqual(
    ended.map(({ status }) => status),
    [204, 204, 404],
  )
  assert.equal(ended[1]!.headers['idempotent-replayed'], 'true')
  await awaitThat(async () => (await list(first)).status === 401) // within a second
  assert.equal((await get(`/${one!.id}`)).status, 404)

  const { data } = await graphql(
    `mutation { a: deleteApiKey(id: "${two!.id}") { success } b: deleteApiKey(id: "${two!.id}") { success } }`,
  )
  assert.deepEqual(data, { a: { success: true }, b: { success: false } })
  const changed = await service.send('PATCH', `/api-keys/${one!.id}`, { name: 'x' }, bearer(boss))
  assert.deepEqual([changed.status, changed.headers.allow], [405, 'GET, HEAD, DELETE, OPTIONS'])
})

test('R444 administrators create API keys with both APIs; only the first response shows the key', async (t) => {
  const { service, get, graphql, keys, create } = await openKeys(t)
  const [boss = '', first = ''] = keys
  const isValid = async (key: string) =>
    (await service.send('GET', '/api-keys', undefined, { authorization: `Bearer ${key}` })).status === 200
  const made = await create({ name: 'new', roles: ['admin', 'admin'] }, boss)
  assert.deepEqual([made.status, made.headers.location], [201, `/api-keys/${made.body.id}`])
  const { id, key, createdAt, ...others } = made.body
  assert.deepEqual(others, { name: 'new', roles: ['admin'], lastUsedAt: null })
  assert.match(key, /^twk_[\w-]{43}$/)
  assert.ok(await isValid(key))
  assert.equal((await get(`/${id}`)).body.createdAt, createdAt)
  assert.equal('key' in (await get(`/${id}`)).body, false)
  assert.equal((await get(`/${id}?fields=key`)).body.key, null)

  const mutation = 'mutation { createApiKey(input: {roles: ["admin"]}) { id name roles key } }'
  const { data } = await graphql(mutation)
  assert.deepEqual([data.createApiKey.name, data.createApiKey.roles], [null, ['admin']])
  assert.ok(await isValid(data.createApiKey.key))
  assert.deepEqual((await graphql(`{ apiKey(id: "${data.createApiKey.id}") { key } }`)).data, { apiKey: { key: null } })

  const statuses = [await create({ roles: ['admin'] }, null), await create({ roles: ['admin'] }, first)]
  assert.deepEqual(
    statuses.map(({ status }) => status),
    [401, 403],
  )
  for (const [body, path, code] of [
    [{ name: 'x' }, 'roles', 'REQUIRED'],
    [{ roles: [] }, 'roles', 'LENGTH'],
    [{ roles: ['a'], key: 'twk_mine' }, 'key', 'READONLY'],
    [{ roles: ['a'], lastUsedAt: '2030-01-01T00:00:00Z' }, 'lastUsedAt', 'READONLY'],
    [{ roles: ['a'], name: 'x'.repeat(201) }, 'name', 'LENGTH'],
  ] as const) {
    const refused = await create(body, boss)
    const problems = refused.body.errors.map((one: { path: string; code: string }) => [one.path, one.code])
    assert.deepEqual([refused.status, problems], [400, [[path, code]]], path)
  }
  assert.equal((await graphql('mutation { createApiKey(input: {roles: []}) { id } }')).errors.length, 1)
  assert.equal((await get('')).body.length, 5)
})

test('R444 with an idempotency key one API key is made, and a repeated response has no key', async (t) => {
  const { service, get, graphql, keys, create } = await openKeys(t)
  const [boss = ''] = keys
  const once = { 'idempotency-key': 'make' }
  const made = [await create({ roles: ['a'] }, boss, once), await create({ roles: ['a'] }, boss, once)]
  const [shown, replayed] = made.map(({ body }) => body)
  assert.deepEqual(
    made.map(({ status }) => status),
    [201, 201],
  )
  assert.equal(made[1]!.headers['idempotent-replayed'], 'true')
  const { key, ...others } = shown
  assert.match(key, /^twk_/)
  assert.deepEqual(replayed, others)
  assert.equal((await create({ roles: ['b'] }, boss, once)).status, 422)

  const query = 'mutation { createApiKey(input: {roles: ["c"]}) { id key } }'
  const ask = async () =>
    (await service.send('POST', '/graphql', { query }, { 'idempotency-key': 'graph' }, true)).body.data.createApiKey
  const [one, two] = [await ask(), await ask()]
  assert.match(one.key, /^twk_/)
  assert.deepEqual(two, { id: one.id, key: null })

  const racing = await Promise.all([1, 2, 3].map(() => create({ roles: ['d'] }, boss, { 'idempotency-key': 'race' })))
  for (const { status } of racing) assert.ok(status === 201 || status === 409, String(status))
  assert.equal(racing.filter(({ body }) => typeof body.key === 'string').length, 1)
  assert.equal((await get('?roles[contains]=d')).body.length, 1)
  assert.equal((await graphql('{ apiKeysConnection { totalCount } }')).data.apiKeysConnection.totalCount, 6)
})

test('R204 the last use of an API key is known to the minute, in both APIs, and no request writes it', async (t) => {
  const time = { now: Date.parse('2130-01-01T00:00:10.000Z') }
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { service, get, graphql, keys } = await openKeys(t, { clock: () => time.now })
  const [boss = '', first = ''] = keys
  const use = (key: string) => service.send('GET', '/parts', undefined, { authorization: `Bearer ${key}` })
  const used = async () => (await get('?lastUsedAt[isNull]=false&sort=name&fields=name,lastUsedAt')).body
  for (const key of [boss, first]) assert.equal((await use(key)).status, 200)
  assert.equal((await use('twk_unknown')).status, 401)
  assert.deepEqual(await used(), [])
  t.mock.timers.tick(60_000)
  await awaitThat(async () => (await used()).length === 2)
  assert.deepEqual(await used(), [
    { name: 'boss', lastUsedAt: '2130-01-01T00:00:00.000Z' },
    { name: 'first', lastUsedAt: '2130-01-01T00:00:00.000Z' },
  ])

  time.now += 5 * 60_000
  await use(first)
  t.mock.timers.tick(60_000)
  await awaitThat(async () => (await used())[1].lastUsedAt > '2130-01-01T00:01')
  const newest = '{ apiKeys(where: {lastUsedAt: {isNull: false}}, orderBy: [{lastUsedAt: DESC}]) { name lastUsedAt } }'
  assert.deepEqual((await graphql(newest)).data.apiKeys, [
    { name: 'first', lastUsedAt: '2130-01-01T00:05:00.000Z' },
    { name: 'boss', lastUsedAt: '2130-01-01T00:00:00.000Z' },
  ])
})

async function openKeys(t: TestContext, options: { clock?: () => number } = {}) {
  const place = await JobPlace.make(t, sdl, 'export default {}')
  const service = await place.open(null, options)
  const keys: string[] = []
  for (const [name, roles] of [
    ['boss', ['admin']],
    ['first', ['importer']],
    ['second', ['importer', 'reader']],
  ] as const) {
    const { out, err, code } = await place.command('key', '--role', roles.join(','), '--name', name)
    assert.equal(code, 0, err)
    keys.push(/twk_[\w-]+/.exec(out)![0])
  }
  const create = (body: object, key: string | null, headers: Record<string, string> = {}) =>
    service.send('POST', '/api-keys', body, { ...headers, ...(key !== null && { authorization: `Bearer ${key}` }) })
  const get = (path: string) => service.send('GET', `/api-keys${path}`, undefined, {}, true)
  const graphql = async (query: string) => (await service.send('POST', '/graphql', { query }, {}, true)).body
  return { service, get, graphql, keys, create }
}
