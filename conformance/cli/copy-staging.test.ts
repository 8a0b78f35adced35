// `twain copy --staging`: a copy for tests, which never acts for its original. Without --staging or --move nothing is copied.
// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import type { Service } from '../../packages/twain/src/main/index.ts'
import { stagingRules } from '../../packages/twain/src/store/copy/staging.ts'
import { apartTables, isSystemTable } from '../../packages/twain/src/store/copy/system-tables.ts'
import type { Database } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { openTestStore } from '../../packages/twain/src/store/store.fixture.ts'
import { setUpCopy } from './copy-fixture.ts'

const sdl = `
type User @account @allow(to: [CREATE]) { id: ID!, email: String! @unique }
type Note @allow(role: "admin") @allow(who: "signedIn") { id: ID!, text: String! }
`

const login = { email: 'ann@example.org', password: 'correct horse battery' }
const stores = ['sqlite', 'postgres'] as const

for (const from of stores)
  test(`no credential of the original is valid on a staging copy of ${from}, and none of the copy on the original`, async (t) => {
    const { folder, database, serve, twain } = await setUpCopy(t, sdl)
    const places: Place[] = [
      { data: join(folder, 'sqlite') },
      { data: join(folder, 'other'), database: database.address },
    ]
    const [source, target] = (from === 'sqlite' ? places : places.toReversed()) as [Place, Place]
    const flags = (place: Place) =>
      place.database === undefined ? ['--data', place.data] : ['--database', place.database]

    const original = await serve(source)
    assert.equal((await send(original, 'POST', '/users', { body: login })).status, 201)
    const session = (await send(original, 'POST', '/tokens', { body: login })).body as Tokens
    const operator = (await twain('token', '--role', 'admin', ...flags(source))).out.trim()
    const key = (await twain('key', '--role', 'admin', ...flags(source))).out.trim()
    const made = { body: { text: 'first' }, token: operator, key: 'once' }
    assert.equal((await send(original, 'POST', '/notes', made)).status, 201)
    const webhook = { url: 'https://example.org/', events: ['note.*'] }
    const { id, secret } = (await send(original, 'POST', '/webhooks', { body: webhook, token: operator }))
      .body as Webhook
    const cursor = await endOf(original, operator)
    await original.close()
    await run(source, database.raw, pendingDelivery(id))

    const [fromPlace, toPlace] = [source, target].map((place) => place.database ?? place.data)
    const { code, err } = await twain('copy', '--staging', '--from', fromPlace!, '--to', toPlace!)
    assert.equal(code, 0, err)

    const copy = await serve(target)
    for (const token of [session.token, operator, key]) {
      assert.equal((await send(copy, 'GET', '/notes', { token })).status, 401, token)
    }
    const refresh = { refreshToken: session.refreshToken }
    assert.equal((await send(copy, 'POST', '/tokens', { body: refresh })).status, 401)
    assert.equal((await send(copy, 'POST', '/tokens', { body: login })).status, 201)
    const ownToken = (await twain('token', '--role', 'admin', ...flags(target))).out.trim()
    const notes = (await send(copy, 'GET', '/notes', { token: ownToken })).body as { text: string }[]
    assert.deepEqual(
      notes.map(({ text }) => text),
      ['first'],
    )

    // The same key is a new request there.
    assert.equal((await send(copy, 'POST', '/notes', { ...made, token: ownToken })).status, 201)
    assert.equal(((await send(copy, 'GET', '/notes', { token: ownToken })).body as unknown[]).length, 2)

    const copied = (await send(copy, 'GET', `/webhooks/${id}`, { token: ownToken })).body as Webhook
    assert.equal(copied.active, false)
    assert.match(copied.paused ?? '', /staging copy/)
    assert.equal((await send(copy, 'GET', `/changes?after=${cursor}`, { token: ownToken })).status, 400)
    const cursorOfCopy = await endOf(copy, ownToken)
    await copy.close()
    assert.deepEqual(await run(target, database.raw, 'SELECT count(*) AS n FROM twain_job'), [{ n: 0 }])
    const [stored] = await run(target, database.raw, 'SELECT secret FROM twain_webhook')
    assert.notEqual(stored?.secret, secret)

    const again = await serve(source)
    assert.equal((await send(again, 'GET', '/notes', { token: ownToken })).status, 401)
    assert.equal((await send(again, 'GET', '/notes', { token: operator })).status, 200)
    assert.equal((await send(again, 'GET', `/changes?after=${cursorOfCopy}`, { token: operator })).status, 400)
    await again.close()
  })

test('a copy without --move or --staging, or with both, copies nothing and explains both', async (t) => {
  const { folder, serve, twain } = await setUpCopy(t, sdl)
  const [data, to] = [join(folder, 'data'), join(folder, 'to')]
  await (await serve({ data })).close()
  for (const purpose of [[], ['--move', '--staging']]) {
    const { code, err } = await twain('copy', ...purpose, '--from', data, '--to', to)
    assert.equal(code, 2)
    assert.match(
      err,
      /--move {5}The copy takes the place of the original[\s\S]*--staging {2}The copy stands beside the original/,
    )
    assert.equal(existsSync(to), false)
  }
})

for (const on of stores) {
  const listing = {
    sqlite: `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'`,
    postgres:
      'SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = $$r$$',
  }
  test(`it is decided for each system table of ${on} how a staging copy takes it`, async (t) => {
    const store = await openTestStore('type Note { id: ID!, text: String @search }', { on })
    t.after(() => store.close())
    const tables = (await store.query(listing[on])).map(({ name }) => String(name))
    const copied = tables.filter((name) => isSystemTable(name) && !apartTables.has(name))
    assert.deepEqual(copied.toSorted(), Object.keys(stagingRules).toSorted())
  })
}

interface Place {
  data: string
  database?: string
}

interface Tokens {
  token: string
  refreshToken: string
}

interface Webhook {
  id: string
  secret: string
  active: boolean
  paused: string | null
}

async function send(
  service: Service,
  method: string,
  path: string,
  { body, token, key }: { body?: object; token?: string; key?: string } = {},
): Promise<{ status: number; body: unknown }> {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  }
  const request = plainRequest(method, path, { headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  const reply = await service.handle(request)
  return { status: reply.status, body: reply.body ? JSON.parse(String(reply.body)) : null }
}

async function endOf(service: Service, token: string): Promise<string> {
  const { status, body } = await send(service, 'GET', '/changes?after=now', { token })
  assert.equal(status, 200)
  return (body as { endCursor: string }).endCursor
}

const pendingDelivery = (webhook: string) =>
  'INSERT INTO twain_job (id, kind, name, payload, created, due, until, state) ' +
  `VALUES ('msg_x', 'delivery', '${webhook}', '{"position":1,"type":"note.created"}', '', '', '', 'waiting')`

/** Runs a statement on the database of a stopped service. */
async function run(place: Place, postgres: Database, sql: string): Promise<Record<string, unknown>[]> {
  if (place.database !== undefined) return [...(await postgres.query(sql))].map((row) => ({ ...row }))
  const file = new DatabaseSync(join(place.data, 'twain.db'))
  const rows = file.prepare(sql).all()
  file.close()
  return rows.map((row) => ({ ...row }))
}
