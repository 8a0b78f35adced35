import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { loadModel } from '#model'
import { silent } from '../../store.fixture.ts'
import { openWriteConnection } from '../connect/connect.ts'
import { migrate } from '../migrate/migrate.ts'
import { WriteQueue } from './write-queue.ts'
import { takeWriterThread } from './writer-threads.ts'

describe('statements on system tables', () => {
  const data = mkdtempSync(join(tmpdir(), 'twain-statements-'))
  let queue: WriteQueue
  before(async () => {
    const file = join(data, 'twain.db')
    const sdl = 'type Note { id: ID! }'
    const model = loadModel(sdl, 'test.graphql')
    const database = openWriteConnection(file)
    const layout = migrate(database, model, sdl, { data, allowBreaking: false })
    database.close()
    queue = new WriteQueue(takeWriterThread, { file, model, layout }, 100, silent)
  })
  after(async () => {
    await queue.close()
    rmSync(data, { recursive: true })
  })

  const insert = 'INSERT INTO twain_secret (name, value, created) VALUES (?, ?, ?)'

  test('return their rows', async () => {
    const rows = await queue.run(
      { sql: insert, parameters: ['a', '1', 'now'] },
      { sql: `${insert} RETURNING name, value`, parameters: ['b', '2', 'now'] },
      { sql: 'SELECT name FROM twain_secret ORDER BY name', parameters: [] },
    )
    assert.deepEqual(rows, [[], [['b', '2']], [['a'], ['b']]])
  })

  test('run all or none, and a failure affects no others', async () => {
    const failing = queue.run(
      { sql: insert, parameters: ['c', '3', 'now'] },
      { sql: insert, parameters: ['a', 'again', 'now'] },
    )
    const other = queue.run({ sql: insert, parameters: ['d', '4', 'now'] })
    await assert.rejects(failing, /UNIQUE/)
    await other
    const rows = await queue.run({ sql: 'SELECT name FROM twain_secret ORDER BY name', parameters: [] })
    assert.deepEqual(rows, [[['a'], ['b'], ['d']]])
  })
})
