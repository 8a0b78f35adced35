import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { maxResultBytes } from '../../read/read-result.ts'
import { openReadConnection, openWriteConnection, SqliteStatements } from './connect.ts'

describe('a connection', () => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-connection-'))
  const file = join(folder, 'twain.db')
  after(() => rmSync(folder, { recursive: true }))

  test('that writes has durable settings', () => {
    const database = openWriteConnection(file)
    const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get()!)[0]
    assert.deepEqual(['journal_mode', 'synchronous', 'foreign_keys', 'trusted_schema'].map(pragma), ['wal', 2, 1, 0])
    database.exec('CREATE TABLE t (x)')
    database.close()
  })

  test('that can’t be durable is refused', () => {
    // A database in memory has no write-ahead log.
    assert.throws(() => openWriteConnection(':memory:'), { name: 'StartRefused', message: /journal_mode is memory/ })
  })

  test('that reads can’t write', () => {
    const database = openReadConnection(file, maxResultBytes)
    assert.throws(() => database.exec('INSERT INTO t VALUES (1)'), /readonly/)
    database.close()
  })

  test('has the functions that statements use', () => {
    const database = openReadConnection(file, maxResultBytes)
    const first = (sql: string) => Object.values(database.prepare(sql).get()!)[0]
    assert.match(String(first(`SELECT twain_cursor('Post(id ASC)', json_array('x'))`)), /^WyJ4Il0\.[0-9a-f]{10}$/)
    assert.equal(first(`SELECT twain_cursor('Post(id ASC)', NULL)`), null)
    assert.equal(first(`SELECT twain_decimal('2') < twain_decimal('10')`), 1)
    assert.equal(first(`SELECT twain_decimal('10') < twain_decimal('10.5')`), 1)
    assert.equal(first(`SELECT twain_decimal('-10.5') < twain_decimal('-10')`), 1)
    assert.equal(first('SELECT twain_decimal(NULL)'), null)
    database.close()
  })

  test('compiles a statement once', () => {
    const database = openReadConnection(file, maxResultBytes)
    const statements = new SqliteStatements(database)
    assert.equal(statements.get('SELECT 1'), statements.get('SELECT 1'))
    assert.deepEqual(statements.get('SELECT 1, 2').get(), [1, 2])
    database.close()
  })
})
