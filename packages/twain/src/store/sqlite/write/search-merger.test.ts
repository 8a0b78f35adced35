// After many commits a search reads few segments, and finds every row.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PlanResult } from '#plan'
import { planMany } from '../../plan.fixture.ts'
import { openTestStore, type TestStore } from '../../store.fixture.ts'
import { commitsBetweenMerges } from './search-merger.ts'

const sdl = 'type Post { id: ID! title: String! @search }'

test('the segments of many commits are merged while writes go on', async (t) => {
  const store = await openTestStore(sdl, { on: 'sqlite' })
  t.after(() => store.close())
  for (let n = 1; n < commitsBetweenMerges; n++) await store.create('Post', { title: `word${n} same` })
  const before = segmentsOf(store)
  assert.ok(Math.max(...before) > 1, `a level has several segments: ${before}`)
  await store.create('Post', { title: `word${commitsBetweenMerges} same` })
  while (Math.max(...segmentsOf(store)) > 1) await sleep(5)
  await store.create('Post', { title: 'later same' })
  for (const word of ['word1', 'word500', `word${commitsBetweenMerges}`, 'later']) {
    assert.notEqual(await countOf(store, word), 0, word)
  }
  assert.equal(await countOf(store, 'same'), commitsBetweenMerges + 1)
})

test('a store closes while it merges', async () => {
  const store = await openTestStore(sdl, { on: 'sqlite' })
  for (let n = 1; n <= commitsBetweenMerges; n++) await store.create('Post', { title: `word${n}` })
  await store.close()
})

async function countOf(store: TestStore, search: string): Promise<number> {
  const page = planMany(store.model, 'Post', { search, select: ['id'], limit: 1, total: true })
  return ((await store.run(page)) as PlanResult & { kind: 'many' }).total!
}

/** How many segments each level of the FTS5 index has. The record with the number 10 tells: after a cookie of four bytes, and of eight
 *  in its second version, the numbers of levels, segments and writes; then each level: segments that are merged, segments, and the
 *  numbers of each. */
function segmentsOf(store: TestStore): number[] {
  const database = new DatabaseSync(join(store.data, 'twain.db'), { readOnly: true })
  const { block } = database.prepare('SELECT block FROM "twain_Post_words_data" WHERE id = 10').get() as {
    block: Uint8Array
  }
  database.close()
  const isSecond = block[4] === 0xff
  let at = isSecond ? 8 : 4
  const levels = next()
  next()
  next()
  return Array.from({ length: levels }, () => {
    next()
    const segments = next()
    for (let left = segments * (isSecond ? 8 : 3); left > 0; left--) next()
    return segments
  })

  function next(): number {
    let value = 0
    for (;;) {
      const byte = block[at++]!
      value = value * 128 + (byte & 127)
      if (byte < 128) return value
    }
  }
}
