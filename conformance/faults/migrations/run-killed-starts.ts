// A start on PostgreSQL is a process of its own, and SIGKILL ends it at one of its messages to the database: before the message is
// forwarded, or just after. The database has objects of somebody else. Then the same schema goes on, or another schema undoes what the
// killed start made. Either way the database ends as if nothing had been killed.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadModel } from '../../../packages/twain/src/model/index.ts'
import { DatabaseProxy } from '../../../packages/twain/src/store/postgres/database-proxy.fixture.ts'
import { migrate, migrationLock } from '../../../packages/twain/src/store/postgres/migrate/migrate.ts'
import {
  makePreparedDatabase,
  makeTestDatabase,
  type TestDatabase,
} from '../../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { dumpSchema } from '../../harness/schema-dump.ts'
import { twainCommand } from '../../harness/twain-modules.ts'
import { until } from '../../harness/until.ts'

const foreign = `
  CREATE TABLE "Extra" (id text PRIMARY KEY, _version int, email text UNIQUE);
  INSERT INTO "Extra" SELECT n::text, n, n || '@example.com' FROM generate_series(1, 20) AS n;
  CREATE TABLE orders (id serial PRIMARY KEY, extra text REFERENCES "Extra");
  INSERT INTO orders (extra) VALUES ('1');
  CREATE VIEW report AS SELECT email FROM "Extra"`

const rows = `
  INSERT INTO "User" (id, _version) VALUES ('u', 1);
  INSERT INTO "Post" (id, _version, title, old, by) VALUES ('p', 1, 'one', 3, 'u')`

const before = 'type Post { id: ID! title: String! old: Int @deprecated by: User @deprecated } type User { id: ID! }'
const after = `type Post { id: ID! headline: String! @index @was(name: "title") size: Int! @default(value: 7) tags: [Tag!]! words: String @search }
  type User { id: ID! } type Tag { id: ID! name: String @unique }`
const other = 'type Tag { id: ID! label: String @index } type User { id: ID! email: String }'

/** What a start finds: no schema, or an older one with rows. */
type Before = 'empty' | 'served'

/** Kills a start at the message with this number, or at the first with this text, and starts the same schema or undoes what the
 *  killed start made. False when no message is so. */
export async function killStart(kind: Before, message: number | string, next: 'goes on' | 'undone'): Promise<boolean> {
  const database = await makeDatabase(kind)
  const where = `killed at message ${message} of a start on a database that is ${kind}`
  try {
    const untouched = await prepare(database, kind)
    if (!(await isKilledAt(database.address, message))) return false
    await awaitEnd(database)
    const present = new Set(await dump(database))
    const lost = untouched.filter((line) => isForeign(line) && !present.has(line))
    assert.deepEqual(lost, [], where)
    const isUndone = next === 'undone' && (await lastServed(database)) !== after
    const sdl = isUndone ? (kind === 'served' ? before : other) : after
    await start(database.address, sdl)
    const wanted = sdl === before ? untouched : await dumpUndisturbed(kind, sdl)
    assert.deepEqual(await dump(database), wanted, where)
    assert.deepEqual([...(await database.raw.values('SELECT 1 FROM twain_migration'))], [], where)
    return true
  } finally {
    await database.drop()
  }
}

function makeDatabase(kind: Before): Promise<TestDatabase> {
  return kind === 'empty' ? makeTestDatabase() : makePreparedDatabase()
}

/** Returns all that is there. */
async function prepare(database: TestDatabase, kind: Before): Promise<string[]> {
  await database.raw.query(foreign)
  if (kind === 'served') {
    await start(database.address, before)
    await database.raw.query(rows)
  }
  return dump(database)
}

async function isKilledAt(address: string, message: number | string): Promise<boolean> {
  const between = await DatabaseProxy.open(address)
  const folder = mkdtempSync(join(tmpdir(), 'twain-killed-start-'))
  const file = join(folder, 'schema.graphql')
  writeFileSync(file, after)
  const child = spawn(process.execPath, [twainCommand, 'migrate', file, '--database', between.address])
  let messages = 0
  between.choose.store = (bytes) => {
    messages++
    if (child.killed || !(message === messages || (typeof message === 'string' && bytes.includes(message))))
      return 'pass'
    child.kill('SIGKILL')
    return messages % 2 === 0 ? 0 : bytes.length
  }
  let errors = ''
  child.stderr.on('data', (part) => (errors += part))
  try {
    const [code, signal] = await once(child, 'exit')
    assert.ok(signal === 'SIGKILL' || code === 0, errors)
    return signal === 'SIGKILL'
  } finally {
    await between.close()
    rmSync(folder, { recursive: true })
  }
}

/** Waits until the server has noticed that the killed process is gone. */
async function awaitEnd({ raw }: TestDatabase): Promise<void> {
  const isFree = await until(
    async () => (await raw.values(`SELECT pg_try_advisory_xact_lock(${migrationLock})`))[0]?.[0],
    (got) => got === true,
  )
  assert.equal(isFree, true)
}

function start(address: string, sdl: string) {
  return migrate(address, { model: loadModel(sdl, 'test.graphql'), sdl, allowBreaking: false })
}

async function lastServed({ raw }: TestDatabase): Promise<unknown> {
  const [table] = await raw.values(`SELECT to_regclass('twain_schema') IS NOT NULL`)
  if (table?.[0] !== true) return null
  return (await raw.values('SELECT sdl FROM twain_schema ORDER BY n DESC LIMIT 1'))[0]?.[0] ?? null
}

const undisturbed = new Map<string, Promise<string[]>>()

/** What a start of this schema makes that nobody kills. */
function dumpUndisturbed(kind: Before, sdl: string): Promise<string[]> {
  const found = undisturbed.get(kind + sdl) ?? startUndisturbed(kind, sdl)
  undisturbed.set(kind + sdl, found)
  return found
}

async function startUndisturbed(kind: Before, sdl: string): Promise<string[]> {
  const database = await makeDatabase(kind)
  try {
    await prepare(database, kind)
    await start(database.address, sdl)
    return await dump(database)
  } finally {
    await database.drop()
  }
}

/** Definitions of everything, and the rows of all but Twain's own tables: those have times. */
async function dump(database: TestDatabase): Promise<string[]> {
  const schema = new URL(database.address).searchParams.get('search_path') ?? 'public'
  const lines = await dumpSchema(database)
  return lines.filter((line) => !line.startsWith('twain_')).map((line) => line.replaceAll(schema, ''))
}

function isForeign(line: string): boolean {
  return /extra|orders|report/i.test(line)
}
