import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createSystemTables } from './tables.ts'

test('identities of an earlier build get ids', () => {
  const database = new DatabaseSync(':memory:')
  createSystemTables(database)
  database.exec(`
    DROP INDEX twain_identity_id;
    ALTER TABLE twain_identity DROP COLUMN id;
    ALTER TABLE twain_identity DROP COLUMN provider;
    INSERT INTO twain_identity (issuer, subject, account, created, used) VALUES ('i', '1', 'a', 'now', 'now'), ('i', '2', 'a', 'now', 'now')`)
  createSystemTables(database)
  const ids = database.prepare('SELECT id FROM twain_identity').all()
  assert.equal(new Set(ids.map(({ id }) => id)).size, 2)
  assert.ok(ids.every(({ id }) => typeof id === 'string'))
  database.close()
})

test('API keys of an earlier build stay, and have no last use yet', () => {
  const database = new DatabaseSync(':memory:')
  createSystemTables(database)
  database.exec(`
    ALTER TABLE twain_key DROP COLUMN seen;
    INSERT INTO twain_key (id, hash, roles, created) VALUES ('k1', 'h', '[]', 'then')`)
  for (const _ of ['the start', 'another start']) createSystemTables(database)
  assert.deepEqual(
    database
      .prepare('SELECT id, seen FROM twain_key')
      .all()
      .map((row) => ({ ...row })),
    [{ id: 'k1', seen: null }],
  )
  database.close()
})

test('sessions of an earlier build stay, and need no account any more', () => {
  const database = new DatabaseSync(':memory:')
  createSystemTables(database)
  database.exec(`
    DROP TABLE twain_token;
    CREATE TABLE twain_token (
      id TEXT PRIMARY KEY, account TEXT NOT NULL, generation INTEGER NOT NULL, created TEXT NOT NULL, used TEXT NOT NULL,
      expires TEXT NOT NULL, ended TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX twain_token_created ON twain_token (created, id);
    INSERT INTO twain_token VALUES ('t1', 'a', 1, 'then', 'then', 'later', NULL)`)
  for (const _ of ['the start', 'another start']) createSystemTables(database)
  database.exec(
    `INSERT INTO twain_token (id, role, generation, created, used, expires, by) VALUES ('t2', 'x', 1, '', '', '', 'key:1')`,
  )
  assert.deepEqual(
    database
      .prepare('SELECT id, account, by FROM twain_token ORDER BY id')
      .all()
      .map((row) => ({ ...row })),
    [
      { id: 't1', account: 'a', by: null },
      { id: 't2', account: null, by: 'key:1' },
    ],
  )
  const indexes = database
    .prepare(`SELECT name FROM pragma_index_list('twain_token') WHERE origin = 'c' ORDER BY name`)
    .all()
  assert.deepEqual(
    indexes.map(({ name }) => name),
    [...['twain_token_actor', 'twain_token_created', 'twain_token_expires', 'twain_token_of_account']],
  )
  database.close()
})
