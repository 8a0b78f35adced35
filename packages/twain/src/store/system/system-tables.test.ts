import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresWriteDialect } from '../postgres/write/write-dialect.ts'
import { sqliteWriteDialect } from '../sqlite/write/write-dialect.ts'
import { systemQuery } from './system-tables.ts'

const text = 'SELECT ?1, ?2, ?1'

test('placeholders have the form of the database', () => {
  assert.deepEqual(systemQuery(sqliteWriteDialect)(text, 'a', 1), { sql: 'SELECT ?1, ?2, ?1', parameters: ['a', 1] })
  assert.deepEqual(systemQuery(postgresWriteDialect)(text, 'a', 1), { sql: 'SELECT $1, $2, $1', parameters: ['a', 1] })
})

test('a text is translated once', () => {
  let translated = 0
  const query = systemQuery({
    ...postgresWriteDialect,
    text: (sql) => `${postgresWriteDialect.text(sql)} -- ${++translated}`,
  })
  assert.deepEqual([query(text, 1, 2).sql, query(text, 3, 4).sql], Array(2).fill('SELECT $1, $2, $1 -- 1'))
  assert.equal(query('SELECT 1').sql, 'SELECT 1 -- 2')
})
