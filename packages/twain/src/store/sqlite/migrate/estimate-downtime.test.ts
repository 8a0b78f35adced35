import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { loadModel } from '#model'
import { defaultLimits } from '#plan'
import { openStore } from '../../databases.ts'
import { silent } from '../../store.fixture.ts'
import { layOut } from '../../tables/layout.ts'
import { estimateDowntime } from './estimate-downtime.ts'
import { missingIndexes } from './indexes.ts'

const sdl = 'type Post { id: ID! title: String @index body: String }'

test('building an index or search words over existing rows is logged with the estimated downtime', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'twain-downtime-'))
  t.after(() => rmSync(data, { recursive: true }))
  await (await openStore({ data, model: loadModel(sdl, ''), sdl, limits: defaultLimits, log: silent })).close()
  const database = new DatabaseSync(join(data, 'twain.db'))
  t.after(() => database.close())
  database.exec(`INSERT INTO Post (_n, id, _version, title) VALUES (2000000, 'a', 1, 'One')`)
  assert.deepEqual(loggedFor(sdl), [])
  assert.deepEqual(loggedFor(`${sdl} type Tag { id: ID! name: String @index }`), [])
  assert.deepEqual(loggedFor(sdl.replace('body: String', 'body: String @index')), [
    'building indexes over 2000000 rows: about 5 s of downtime',
  ])
  assert.deepEqual(loggedFor(sdl.replace('body: String', 'body: String @search')), [
    'building indexes over 2000000 rows: about 80 s of downtime',
  ])

  function loggedFor(next: string): string[] {
    const model = loadModel(next, '')
    const sentences: string[] = []
    const { layout } = layOut(model, null)
    const log = { ...silent, info: (_: object, sentence: string) => void sentences.push(sentence) }
    estimateDowntime(database, missingIndexes(database, model, layout), layout, log)
    return sentences
  }
})
