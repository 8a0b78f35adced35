import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { loadModel } from '#model'
import { bindRead } from '../sql/bind.ts'
import { decodeColumn, encodeColumn } from '../sql/encode.ts'
import type { Query, QueryRows } from '../sql/query.ts'
import { compileReadBack } from '../sql/read.ts'
import type { WriteDialect } from '../sql/write-dialect.ts'
import { sqliteRowImages } from '../sqlite/changes/row-images.ts'
import { openWriteConnection, SqliteStatements } from '../sqlite/connect/connect.ts'
import { sqlite } from '../sqlite/dialect.ts'
import { migrate } from '../sqlite/migrate/migrate.ts'
import { sqliteWriteDialect } from '../sqlite/write/write-dialect.ts'
import type { Layout } from '../tables/layout.ts'
import { WriterContext } from './access/writer-context.ts'
import { applyWrite } from './apply-write.ts'
import { runToEnd, type Step } from './steps/query-step.ts'
import type { WriteJob } from './steps/write-job.ts'

const sdl = `
  type User { id: ID! email: String @unique name: String boss: User best: Thing tags: [Tag!]! }
  type Tag { id: ID! }
  type Team { id: ID! lead: User @relation(onDelete: CASCADE) }
  union Thing = User | Team
`

/** A dialect with other SQL texts. */
const other: WriteDialect = {
  text: (sql) => sql.replaceAll(/\?(\d)/g, '$$$1'),
  lock: { change: ' FOR CHANGE', delete: ' FOR DELETE', refer: ' FOR REFER' },
  jsonTexts: (list) => list,
  lockId: null,
  shareListOf: () => '',
  lockKey: null,
  servedSchema: null,
  hasIndex: null,
  skipLocked: '',
  lockShared: '',
  time: () => '',
  encode: encodeColumn,
  decode: decodeColumn,
  comparable: (_type, column) => column,
  words: sqliteWriteDialect.words,
}

describe('a write, run asynchronously in another dialect', () => {
  const data = mkdtempSync(join(tmpdir(), 'twain-apply-'))
  const model = loadModel(sdl, 'test.graphql')
  let database: DatabaseSync
  let layout: Layout
  let context: WriterContext
  let statements: SqliteStatements
  before(async () => {
    database = openWriteConnection(join(data, 'twain.db'))
    layout = migrate(database, model, sdl, { data, allowBreaking: false })
    statements = new SqliteStatements(database)
    context = new WriterContext(model, layout, other, sqliteRowImages(database), () => 0)
    for (const id of ['a', 'b', 'c']) await write(job('replace', 'User', id, { email: `${id}@x` }))
    for (const id of ['x', 'y']) await write(job('replace', 'Tag', id, {}))
  })
  after(() => {
    database.close()
    rmSync(data, { recursive: true })
  })

  function job(action: WriteJob['action'], resource: string, id: string | null, set: object): WriteJob {
    return {
      kind: 'write',
      action,
      resource,
      id,
      key: null,
      update: null,
      revert: null,
      idSeed: null,
      set: Object.entries(set).map(([field, value]) => ({ field, value, merge: false })),
      rows: [],
      lists: [],
      ifVersion: null,
      preconditions: null,
      readBack:
        action === 'delete'
          ? null
          : bindRead(compileReadBack(context.resource(resource), [], layout, sqlite), [], { account: null }, sqlite),
      viewer: {
        account: null,
        authenticated: false,
        isGuest: true,
        token: null,
        by: 'anonymous',
        via: null,
        trace: null,
      },
      password: null,
      confirmation: null,
      identity: null,
      proof: null,
      signUp: null,
      checks: null,
      transitions: null,
      idempotencyKey: null,
      isAsync: false,
      isImport: false,
    }
  }

  /** The SQL of each list of queries, and the result. */
  async function write(job: WriteJob) {
    const lists: string[][] = []
    database.exec('BEGIN')
    const result = await runLater(runToEnd(applyWrite(job, context, '2026-01-01T00:00:00.000Z')), async (queries) => {
      lists.push(queries.map(({ sql }) => sql))
      return queries.map(runQuery)
    })
    database.exec('COMMIT')
    return { lists, result }
  }

  async function runLater<T>(step: Step<T>, answer: (queries: readonly Query[]) => Promise<QueryRows[]>): Promise<T> {
    let turn = step.next()
    while (turn.done !== true) turn = step.next(await answer(turn.value))
    return turn.value
  }

  function runQuery({ sql, parameters }: Query): QueryRows {
    const text = sql.replaceAll(/\$(\d)/g, '?$1').replace(/ FOR [A-Z]+$/, '')
    return statements.get(text).all(...parameters) as unknown as QueryRows
  }

  const commands = (lists: string[][]) => lists.map((list) => list.map((sql) => sql.split(' ')[0]).join(' '))

  test('a create looks up its references, then its conflicts, then saves and reads back', async () => {
    const { lists, result } = await write(
      job('create', 'User', null, { email: 'new@x', boss: 'a', best: 'b', tags: ['x', 'y'] }),
    )
    assert.equal(result.kind, 'written')
    assert.deepEqual(commands(lists), [
      'SELECT SELECT SELECT SELECT SELECT',
      'SELECT',
      'INSERT INSERT INSERT INSERT SELECT',
    ])
    assert.deepEqual(
      lists[0]!.filter((sql) => !/ FOR REFER$/.test(sql)),
      [],
    )
  })

  test('a write without lookups is one list', async () => {
    const { lists } = await write(job('create', 'Team', null, {}))
    assert.deepEqual(commands(lists), ['INSERT INSERT SELECT'])
  })

  test('a write locks the rows that it changes or deletes, and those that follow', async () => {
    const changed = await write(job('update', 'User', 'b', { name: 'B' }))
    assert.deepEqual(commands(changed.lists), ['SELECT', 'UPDATE INSERT SELECT'])
    assert.match(changed.lists[0]![0]!, / FOR CHANGE$/)
    await write(job('replace', 'Team', 't', { lead: 'c' }))
    const { lists, result } = await write(job('delete', 'User', 'c', {}))
    assert.deepEqual(result, { kind: 'deleted', found: true, id: 'c' })
    assert.match(lists[0]![0]!, / FOR DELETE$/)
    assert.deepEqual(
      lists[1]!.map((sql) => /FROM "(\w+)".*?( FOR \w+)?$/.exec(sql)!.slice(1).join('')),
      ['User FOR CHANGE', 'User FOR CHANGE', 'Team FOR DELETE'],
    )
    assert.deepEqual(runQuery({ sql: 'SELECT id FROM Team WHERE id = ?1', parameters: ['t'] }), [])
  })

  test('every text is translated to the dialect', async () => {
    const { lists } = await write(job('replace', 'User', 'd', { email: 'd@x', tags: ['x'], best: 'a' }))
    const again = await write(job('update', 'User', 'd', { tags: [], email: 'e@x' }))
    const deleted = await write(job('delete', 'User', 'd', {}))
    const texts = [...lists, ...again.lists, ...deleted.lists].flat().filter((sql) => !sql.includes('json'))
    assert.ok(texts.length > 15)
    assert.deepEqual(
      texts.filter((sql) => /\?\d/.test(sql)),
      [],
    )
  })

  test('a job is not modified, so that it can run again', async () => {
    const one = job('update', 'User', 'a', { name: 'A' })
    const copy = structuredClone(one)
    await write(one)
    assert.deepEqual(one, copy)
    assert.deepEqual(commands((await write(one)).lists), ['SELECT', 'SELECT']) // it changes nothing the second time
  })
})
