// A database that others use: a start takes over nothing that Twain did not make, and undoes nothing but its own.
// stores: postgres

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { command } from '../../packages/twain/src/cli/command.fixture.ts'
import { loadModel } from '../../packages/twain/src/model/index.ts'
import { DatabaseProxy } from '../../packages/twain/src/store/postgres/database-proxy.fixture.ts'
import { migrate, migrationLock } from '../../packages/twain/src/store/postgres/migrate/migrate.ts'
import { makeTestDatabase, type TestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { dumpSchema } from '../harness/schema-dump.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = `
type Note @allow { id: ID!  title: String @index  words: String @search  author: User  tags: [Tag!]! }
type Tag @allow { id: ID!  name: String! }
type User @allow { id: ID!  email: String! @unique }
`

const log = { info() {}, warn() {}, error() {} }

async function makeDatabase(t: TestContext): Promise<TestDatabase> {
  const database = await makeTestDatabase()
  t.after(() => database.drop())
  return database
}

function makeSchema(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'twain-foreign-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'schema.graphql'), text)
  return join(folder, 'schema.graphql')
}

function start(address: string, text: string): Promise<unknown> {
  return migrate(address, { model: loadModel(text, 'schema.graphql'), sdl: text, allowBreaking: false, log })
}

async function refusal(starting: Promise<unknown>, why = 'it started'): Promise<string> {
  const error = await starting.then(
    () => assert.fail(why),
    (reason: Error) => reason,
  )
  assert.equal(error.name, 'StartRefused', error.stack)
  return error.message
}

const people = `
  CREATE TABLE "User" (id text PRIMARY KEY, email text);
  INSERT INTO "User" SELECT n::text, 'same@example.com' FROM generate_series(1, 1000) AS n;
  CREATE TABLE orders (id serial PRIMARY KEY, user_id text REFERENCES "User");
  INSERT INTO orders (user_id) VALUES ('1')`

test('a table of somebody else is refused by every command, and stays as it is', async (t) => {
  const database = await makeDatabase(t)
  await database.raw.query(people)
  const before = await dumpSchema(database)
  const unique = makeSchema(t, 'type User @allow { id: ID!  email: String! @unique }')
  // What the message of the first start led to: it undid what it had not made, and dropped the table with its rows.
  const plain = makeSchema(t, 'type User @allow { id: ID!  email: String! }')
  for (const schema of [unique, plain]) {
    const flags = [schema, '--database', database.address, '--port', '0']
    for (const words of [
      ['start', ...flags],
      ['migrate', ...flags.slice(0, 3)],
      ['migrate', ...flags.slice(0, 3), '--dry-run'],
    ]) {
      const { code, out, err } = await command(...words)
      assert.notEqual(code, 0, words.join(' '))
      assert.match(
        (out + err).replaceAll('\\n', '\n').replaceAll('\\"', '"'), // a start logs it as JSON
        /did not make .*\n {2}table "User"\nNothing was changed\. .*CREATE SCHEMA twain.*\?search_path=twain/,
      )
      assert.deepEqual(await dumpSchema(database), before, words.join(' '))
    }
    const { code, out } = await command('doctor', ...flags)
    assert.equal(code, 1)
    assert.match(out, /✗ A start with this schema would be refused\.\n {2}.*\n {4}table "User"\n/)
  }
  assert.deepEqual(await dumpSchema(database), before)
})

const foreign: readonly (readonly [name: string, create: string, drop: string])[] = [
  ['table "Note"', 'CREATE TABLE "Note" (id serial, _version int)', 'DROP TABLE "Note"'],
  ['table "Note_tags"', 'CREATE TABLE "Note_tags" (left_id text, right_id text)', 'DROP TABLE "Note_tags"'],
  ['view "Tag"', 'CREATE VIEW "Tag" AS SELECT 1 AS id', 'DROP VIEW "Tag"'],
  ['sequence "Tag"', 'CREATE SEQUENCE "Tag"', 'DROP SEQUENCE "Tag"'],
  ['type "User"', `CREATE TYPE "User" AS ENUM ('a')`, 'DROP TYPE "User"'],
  ['type "User"', 'CREATE TYPE "User" AS (a int)', 'DROP TYPE "User"'],
  ['index "twain_change_seq"', 'CREATE INDEX twain_change_seq ON other (x)', 'DROP INDEX twain_change_seq'],
  [
    'index "twain User(email) unique"',
    'CREATE INDEX "twain User(email) unique" ON other (x)',
    'DROP INDEX "twain User(email) unique"',
  ],
  ['table "twain_node"', 'CREATE TABLE twain_node (id int)', 'DROP TABLE twain_node'],
  ['table "twain_schema"', 'CREATE TABLE twain_schema (version int)', 'DROP TABLE twain_schema'],
  ['table "twain_object"', 'CREATE TABLE twain_object (name text)', 'DROP TABLE twain_object'],
  ...['twain_fold_1(t text)', 'twain_image(t text)', 'twain_set_time()'].map((head) => {
    const name = head.replace(/\(.*/, '')
    const create = `CREATE FUNCTION ${head} RETURNS text LANGUAGE sql AS 'SELECT 1::text'`
    return [`function "${name}"`, create, `DROP FUNCTION ${name}`] as const
  }),
]

test('whatever has a name that Twain needs is refused before anything changes, and all of it is named at once', async (t) => {
  const database = await makeDatabase(t)
  await database.raw.query('CREATE TABLE other (x text)')
  const place = /postgres:\/\/[^\s]*/
  for (const [name, create, drop] of foreign) {
    await database.raw.query(create)
    const before = await dumpSchema(database)
    const message = await refusal(start(database.address, sdl), name)
    assert.deepEqual(message.replace(place, '').split('\n').slice(1, -1), [`  ${name}`])
    assert.deepEqual(await dumpSchema(database), before, name)
    await database.raw.query(drop)
  }
  const together = foreign.filter(
    ([name], at) => foreign.findIndex(([other]) => other.split(' ')[1] === name.split(' ')[1]) === at,
  )
  for (const [, create] of together) await database.raw.query(create)
  const before = await dumpSchema(database)
  const message = await refusal(start(database.address, sdl))
  assert.deepEqual(message.split('\n').slice(1, -1).sort(), together.map(([name]) => `  ${name}`).sort())
  assert.deepEqual(await dumpSchema(database), before)
})

test('names that an earlier Twain dropped or moved are not dropped or moved in a new database', async (t) => {
  const database = await makeDatabase(t)
  await database.raw.query(
    'CREATE TABLE twain_delivery (id text); CREATE TABLE other (x text, _version int); CREATE INDEX twain_token_account ON other (x)',
  )
  await start(database.address, sdl)
  await start(database.address, sdl)
  const [[kept]] = (await database.raw.values(
    `SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname IN ('twain_delivery', 'twain_token_account')`,
  )) as [[number]]
  assert.equal(kept, 2)
  await database.raw.query('DROP TABLE other') // no function of Twain's takes its rows
})

test('a column, a trigger or an index of somebody else in a table of Twain stays, and refuses a schema that needs its name', async (t) => {
  const database = await makeDatabase(t)
  await start(database.address, sdl)
  await database.raw.query(`
    INSERT INTO "User" (id, _version, email) VALUES ('a', 1, 'a@example.org');
    ALTER TABLE "User" ADD COLUMN phone text; UPDATE "User" SET phone = '1';
    CREATE FUNCTION mine() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
    CREATE TRIGGER "twain seen" BEFORE UPDATE ON "User" FOR EACH ROW EXECUTE FUNCTION mine();
    CREATE INDEX "twain Tag(key of name,name,id)" ON "User" (phone)`)
  await start(database.address, sdl)
  const unique = '"twain User(email) unique"'
  await database.raw.query(`DROP INDEX ${unique}; CREATE INDEX ${unique} ON "User" (email)`)
  const before = await dumpSchema(database)
  const next = sdl
    .replace('email:', 'phone: String  seen: DateTime! @auto(set: UPDATE_TIME)  email:')
    .replace('name: String!', 'name: String! @index')
  const message = await refusal(start(database.address, next))
  assert.deepEqual(message.split('\n').slice(1, -1), [
    '  column "User"."phone"',
    '  trigger "twain seen" of "User"',
    '  index "twain Tag(key of name,name,id)"',
    '  index "twain User(email) unique"',
  ])
  assert.deepEqual(await dumpSchema(database), before)
})

test('a service in a schema of its own, with capitals, works beside the tables of somebody else', async (t) => {
  const database = await makeTestDatabase()
  await database.raw.query(people)
  const before = await dumpSchema(database)
  const schema = `"${new URL(database.address).searchParams.get('search_path')}_Twain"`
  const own = new URL(database.address)
  own.searchParams.set('search_path', schema)
  t.after(async () => {
    await database.raw.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    await database.drop()
  })
  const file = makeSchema(t, sdl)
  const flags = [file, '--database', own.href]
  const missing = await command('start', ...flags, '--port', '0')
  assert.match(missing.err, /no schema of the search_path .*_Twain.* Create it: CREATE SCHEMA/)
  await database.raw.query(`CREATE SCHEMA ${schema}`)
  for (const email of ['ann@example.org', 'ben@example.org']) {
    const { address, close } = await TestService.open(t, sdl, { database: own.href })
    const headers = { 'content-type': 'application/json' }
    const created = await fetch(`${address}/users`, { method: 'POST', headers, body: JSON.stringify({ email }) })
    assert.equal(created.status, 201)
    for (const path of [`/users?email=${email}`, '/changes']) {
      const found = await until(
        async () => (await fetch(address + path)).text(),
        (text) => text.includes(email),
      )
      assert.ok(found.includes(email), found)
    }
    await close()
  }
  const doctor = await command('doctor', ...flags, '--port', '0', '--deep')
  assert.equal(doctor.code, 0, doctor.out)
  assert.deepEqual(await dumpSchema(database), before)
})

/** Starts through a proxy that ends the connection at a message to the database: before it is forwarded, or just after. */
async function cutStart(
  database: TestDatabase,
  text: string,
  at: (message: number, bytes: Buffer) => 'pass' | 'before' | 'after',
) {
  const proxy = await DatabaseProxy.open(database.address)
  let messages = 0
  proxy.choose.store = (bytes) => {
    const cut = at(++messages, bytes)
    if (cut === 'before') return 0
    return cut === 'after' ? bytes.length : 'pass'
  }
  try {
    await start(proxy.address, text)
    return { isCut: false }
  } catch {
    return { isCut: true }
  } finally {
    await proxy.close()
  }
}

/** Waits until the server has noticed that the connection of the cut start ended. */
async function awaitEnd({ raw }: TestDatabase): Promise<void> {
  const isFree = await until(
    async () => (await raw.values(`SELECT pg_try_advisory_xact_lock(${migrationLock})`))[0]?.[0],
    (got) => got === true,
  )
  assert.equal(isFree, true)
}

test('a start that is cut at any of its steps goes on when it is repeated, and another schema undoes only its own', async (t) => {
  const database = await makeDatabase(t)
  const schema = new URL(database.address).searchParams.get('search_path')
  await database.raw.query(`CREATE TABLE "Extra" (id text, _version int); INSERT INTO "Extra" VALUES ('x', 1)`)
  const tables = async () =>
    (await dumpSchema(database)).filter((line) => /"(r|v) [A-Z]|^\["(column|trigger)","[A-Z]/.test(line))
  await start(database.address, sdl)
  const served = await tables()
  const next =
    sdl.replace('email:', 'phone: String @index  seen: DateTime! @auto(set: UPDATE_TIME)  best: More  email:') +
    'type More @allow { id: ID!  of: User  others: [Note!]! }'
  await database.raw.query(`INSERT INTO "User" (id, _version, email) VALUES ('a', 1, 'a@example.org')`)
  let steps = 0
  for (let isCut = true; isCut; ) {
    steps++
    const how = steps % 2 === 0 ? 'before' : 'after'
    ;({ isCut } = await cutStart(database, next, (message) => (message === steps ? how : 'pass')))
    await awaitEnd(database)
    if (!isCut) break
    const [[last]] = (await database.raw.values('SELECT sdl FROM twain_schema ORDER BY n DESC LIMIT 1')) as [[string]]
    if (last === next) break // the last commit was on its way
    if (steps % 3 === 0) {
      await start(database.address, sdl)
      assert.deepEqual(await tables(), served, `after a cut ${how} message ${steps}`)
    }
  }
  assert.ok(steps > 15, `${steps} steps`)
  await start(database.address, next)
  const [[rows]] = (await database.raw.values(`SELECT count(*) FROM ${schema}."User"`)) as [[number]]
  assert.equal(rows, 1)
  const [[extra]] = (await database.raw.values('SELECT to_json(e)::text FROM "Extra" e')) as [[string]]
  assert.equal(extra, '{"id":"x","_version":1}')
  const [[record]] = (await database.raw.values('SELECT count(*) FROM twain_migration')) as [[number]]
  assert.equal(record, 0)
})

test('an undo and --drop refuse to drop what somebody else depends on', async (t) => {
  const database = await makeDatabase(t)
  await start(database.address, sdl)
  const more = `${sdl} type More @allow { id: ID!  text: String  of: User }`
  await cutStart(database, more, (_, bytes) => (bytes.includes('INSERT INTO twain_schema') ? 'before' : 'pass'))
  await awaitEnd(database)
  await database.raw.query('CREATE VIEW report AS SELECT text FROM "More"')
  const before = await dumpSchema(database)
  assert.match(await refusal(start(database.address, sdl)), /can't be dropped.*view report depends on table "More"/s)
  assert.deepEqual(await dumpSchema(database), before)
  await start(database.address, more)
  const flags = [makeSchema(t, sdl), '--database', database.address, '--allow-breaking']
  assert.equal((await command('migrate', ...flags)).code, 0)
  const refused = await command('migrate', ...flags, '--drop')
  assert.notEqual(refused.code, 0)
  assert.match(refused.err, /view report depends on/)
  await database.raw.query('DROP VIEW report')
  assert.equal((await command('migrate', ...flags, '--drop')).code, 0)
  await assert.rejects(database.raw.query('SELECT 1 FROM "More"'), /does not exist/)
})

test('an undo drops no table that has rows: no node has served the one that Twain made', async (t) => {
  const database = await makeDatabase(t)
  await start(database.address, sdl)
  await database.raw.query(`
    INSERT INTO twain_migration (sdl, names, created)
      SELECT 'type Shop @allow { id: ID! }', names, '{"tables": ["Shop"], "columns": {}}' FROM twain_schema LIMIT 1;
    CREATE TABLE "Shop" (id text); INSERT INTO "Shop" SELECT n::text FROM generate_series(1, 1000) AS n`)
  const before = await dumpSchema(database)
  const message = await refusal(start(database.address, sdl.replace('email:', 'phone: String  email:')))
  assert.match(message, /A start was interrupted in .* rows, .*\n {2}table "Shop"\nNothing was changed/)
  assert.deepEqual(await dumpSchema(database), before)
})
