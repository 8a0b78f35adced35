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
