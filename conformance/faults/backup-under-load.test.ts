// Backups of a data folder under load: each is a committed prefix.
//
// 1. A backup has all writes that were acknowledged before it began, and none that was sent after it ended.
// 2. Of each writer it has the first n writes, without a gap, and the change log has exactly these rows.
// 3. It can be restored and served.
// stores: sqlite

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { backUp, restore } from '../../packages/twain/src/store/index.ts'
import { ServerProcess } from '../harness/server-process.ts'
import { checkPrefix } from './committed-prefix.ts'

const sdl = 'type Entry @allow { id: ID! writer: Int! number: Int! text: String! }'
const writers = 8
const backups = 20

test(`each of ${backups} backups under ${writers} writers is a committed prefix, and the last one is served`, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'twain-backups-'))
  const [schemaFile, data] = [join(folder, 'schema.graphql'), join(folder, 'data')]
  await writeFile(schemaFile, sdl)
  const server = await ServerProcess.start(schemaFile, data)
  t.after(async () => {
    await server.stop()
    await rm(folder, { recursive: true })
  })
  const sent: number[] = new Array(writers).fill(0)
  const acknowledged: number[] = new Array(writers).fill(0)
  let going = true
  const writing = sent.map(async (_, writer) => {
    while (going) {
      const number = sent[writer]!++
      const body = JSON.stringify({ writer, number, text: 'x'.repeat(200) })
      const reply = await fetch(`${server.address}/entries`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      assert.equal(reply.status, 201)
      await reply.arrayBuffer()
      acknowledged[writer] = number + 1
    }
  })
  let last = 0
  for (let count = 1; count <= backups; count++) {
    await pause(20)
    const acknowledgedBefore = [...acknowledged]
    const backup = join(folder, `${count}.db`)
    backUp(data, backup)
    const sentAfter = [...sent]
    last = checkPrefix(backup, acknowledgedBefore, sentAfter)
  }
  going = false
  await Promise.all(writing)

  await restore(join(folder, `${backups}.db`), join(folder, 'restored'))
  const again = await ServerProcess.start(schemaFile, join(folder, 'restored'))
  t.after(() => again.stop())
  const reply = await fetch(`${again.address}/entries?limit=1`, { headers: { prefer: 'count=exact' } })
  assert.equal(Number(reply.headers.get('x-total-count')), last)
})
