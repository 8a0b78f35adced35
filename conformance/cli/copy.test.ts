// `twain copy` from SQLite to PostgreSQL and back gives the same service in another place.
// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import type { Service } from '../../packages/twain/src/main/index.ts'
import { type Ask, setUpCopy } from './copy-fixture.ts'

const sdl = `
type User @account @allow { id: ID!, email: String! @unique, friends: [User!]! }
interface Thing { id: ID! }
type Box implements Thing @allow { id: ID!, name: String }
type Bag implements Thing @allow { id: ID!, holds: Thing, in: Box }
type Note @allow {
  id: ID!
  text: String! @index @search
  done: Boolean @index
  float: Float @index
  int: Int
  big: BigInt @index
  price: Decimal @index
  json: JSON
  tags: [String!]
  day: Date
  at: DateTime
  near: [Thing!]!
}
`

const login = { email: 'ann@example.org', password: 'correct horse battery' }

test('a service that is copied to PostgreSQL and back has the same rows, log positions and secrets', async (t) => {
  const { folder, database, serve, twain, ask } = await setUpCopy(t, sdl)
  const [first, second] = [join(folder, 'first'), join(folder, 'second')]
  const service = await serve({ data: first })
  await fill(service, ask)
  const before = await asSeen(service, ask)
  assert.match(before.at(-1)!, /"float":1e\+21/)
  const { body: token } = await ask(service, 'POST', '/tokens', login)
  await service.close()

  const there = await twain('copy', '--move', '--from', `sqlite:${first}`, '--to', database.address)
  assert.equal(there.code, 0, there.err)
  assert.match(there.err, /^Copied \d+ rows of \d+ tables from .* counts and checksums match\.\n$/)
  assert.equal((await twain('copy', '--move', '--from', database.address, '--to', second)).code, 0)

  assert.deepEqual(dump(second), dump(first))
  const onPostgres = await serve({ data: first, database: database.address })
  assert.deepEqual(await asSeen(onPostgres, ask), before)
  const refresh = { refreshToken: (token as { refreshToken: string }).refreshToken }
  assert.equal((await ask(onPostgres, 'POST', '/tokens', refresh)).status, 201)
  assert.equal((await ask(onPostgres, 'POST', '/users', login)).status, 409)
  assert.equal((await ask(onPostgres, 'POST', '/notes', { text: 'after' })).status, 201)
  assert.equal((await ask(onPostgres, 'PUT', '/notes/gone', { text: 'again' })).status, 410)
  await onPostgres.close()
  const [log] = await database.raw.query(
    'SELECT count(*) = max(seq) - min(seq) + 1 AS dense FROM twain_change WHERE seq > 0',
  )
  assert.equal(log?.dense, true)

  const again = await serve({ data: second })
  assert.deepEqual(await asSeen(again, ask), before)
  assert.equal((await ask(again, 'POST', '/notes', { text: 'after' })).status, 201)
  await again.close()
})

test('a target with data, a source without data or in use, and wrong arguments are refused', async (t) => {
  const { folder, database, serve, twain } = await setUpCopy(t, sdl)
  const [data, other] = [join(folder, 'data'), join(folder, 'other')]
  const service = await serve({ data })
  const served = await twain('copy', '--move', '--from', data, '--to', database.address)
  await service.close()
  assert.deepEqual([served.code, /Another Twain server is running/.test(served.err)], [1, true])

  for (const [args, code, words] of [
    [['--from', other, '--to', database.address], 1, /There is no data in .*other: it has no twain\.db/],
    [['--from', database.address, '--to', other], 1, /nothing was ever served from it/],
    [['--from', data, '--to', data], 1, /There is data in .* already/],
    [['--from', data], 2, /--from and --to are required/],
    [['--from', data, '--to', 'mysql://secret@host/x'], 2, /--to must be a data folder/],
    [['--from', data, '--to', 'postgres://secret@127.0.0.1:1/x'], 1, /can't be used/],
    [['--from', data, '--to', database.address], 0, /Copied/],
    [['--from', data, '--to', database.address], 1, /already: it has a table/],
  ] as const) {
    const { code: actual, err } = await twain('copy', '--move', ...args)
    assert.equal(actual, code, err)
    assert.match(err, words)
    assert.doesNotMatch(err, /secret/)
  }
  assert.equal(existsSync(join(other, 'twain.db')), false)
})

test('a copy that is stopped leaves the target unchanged', async (t) => {
  const { folder, database, serve, twain } = await setUpCopy(t, sdl)
  const data = join(folder, 'data')
  await (await serve({ data })).close()
  const stopped = await twain.stopped('copy', '--move', '--from', data, '--to', database.address)
  assert.equal(stopped.code, 1)
  assert.match(stopped.err, /was stopped/)
  const [there] = await database.raw.query(
    'SELECT count(*) AS count FROM pg_class WHERE relnamespace = current_schema()::regnamespace',
  )
  assert.equal(there?.count, 0)
  assert.equal((await twain('copy', '--move', '--from', data, '--to', database.address)).code, 0)

  const to = join(folder, 'to')
  assert.equal((await twain.stopped('copy', '--move', '--from', database.address, '--to', to)).code, 1)
  assert.equal(existsSync(join(to, 'twain.db')), false)
  assert.equal((await twain('copy', '--move', '--from', database.address, '--to', to)).code, 0)
})

test('a text that PostgreSQL can not index is named by type, field and row', async (t) => {
  const { folder, database, serve, twain } = await setUpCopy(t, sdl)
  const data = join(folder, 'data')
  await (await serve({ data })).close()
  const file = new DatabaseSync(join(data, 'twain.db'))
  file.prepare(`INSERT INTO Note (id, _version, text) VALUES ('long', 1, ?)`).run(randomBytes(6000).toString('base64'))
  file.close()
  const { code, err } = await twain('copy', '--move', '--from', data, '--to', database.address)
  assert.equal(code, 1)
  assert.match(err, /Note\.text of long has 8000 bytes; an index takes 2000\n/)
})

async function fill(service: Service, ask: Ask): Promise<void> {
  const make = async (path: string, body: object): Promise<string> => {
    const reply = await ask(service, 'POST', path, body)
    assert.equal(reply.status, 201, JSON.stringify(reply.body))
    return (reply.body as { id: string }).id
  }
  const ann = await make('/users', login)
  await make('/users', { ...login, email: 'bob@example.org', friends: [ann] })
  const box = await make('/boxes', { name: null })
  const bag = await make('/bags', { holds: `Box:${box}`, in: box })
  for (const float of [5e-324, 1.7976931348623157e308, -0.1, 0, 1e21]) await make('/notes', { text: 'f', float })
  for (const done of [true, false, null]) await make('/notes', { text: 'd', done })
  await make('/notes', { text: 'tab\tline\nreturn\r\\N \\. \u{1f600} "quoted"', int: -2147483648 })
  await make('/notes', { text: '', big: '123456789012345678901234567890', price: '-0.000000000000000001' })
  await make('/notes', { text: 'j', json: { b: [1, null, '\\'], a: { c: '\n' } }, tags: ['x', 'y\\'] })
  await make('/notes', {
    text: 't',
    day: '0001-01-01',
    at: '2026-11-15T06:00:00.123Z',
    near: [`Box:${box}`, `Bag:${bag}`],
  })
  const webhook = { url: 'https://example.org/', events: ['note.*'], where: { done: { eq: true } }, active: false }
  const headers = { 'content-type': 'application/json' }
  const hooked = plainRequest('POST', '/webhooks', { headers, body: JSON.stringify(webhook) })
  assert.equal((await service.handleAsSystem(hooked)).status, 201)
  const made = await ask(service, 'PUT', '/notes/gone', { text: 'soon gone' })
  assert.equal(made.status, 201)
  assert.equal((await ask(service, 'DELETE', '/notes/gone')).status, 204)
}

async function asSeen(service: Service, ask: Ask): Promise<string[]> {
  const paths = [
    '/notes?sort=float,big,price,done',
    '/notes?search=gon',
    '/notes?search=a',
    '/users',
    '/boxes',
    '/bags',
    '/changes?first=100',
  ]
  return Promise.all(
    paths.map(async (path) => {
      const { status, text } = await ask(service, 'GET', path)
      assert.equal(status, 200, text)
      return text
    }),
  )
}

/** Every row of every table, except the search index, which each store builds itself, and the SQL of all tables and indexes. */
function dump(folder: string): Record<string, unknown[]> {
  const database = new DatabaseSync(join(folder, 'twain.db'), { readOnly: true })
  const tables = database
    .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%_words%' ORDER BY name`)
    .all()
  const texts = database.prepare('SELECT name, sql FROM sqlite_master ORDER BY name').all()
  const rows = tables.map(({ name }) => [name, sorted(database.prepare(`SELECT * FROM "${name}"`).all())])
  database.close()
  return { ...Object.fromEntries(rows), texts }
}

/** A copy begins with a clock of its own. */
function sorted(rows: readonly object[]): string[] {
  const withoutClock = (name: string, value: unknown) => (name === 'clock' ? undefined : value)
  return rows.map((row) => JSON.stringify(row, withoutClock)).sort()
}
