// Copies of a PostgreSQL database under load: each is a committed prefix, and can be served.
// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { bodyText, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { openService, type Service } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { copyService } from '../../packages/twain/src/store/index.ts'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { checkPrefix } from './committed-prefix.ts'

const sdl = 'type Entry @allow { id: ID! writer: Int! number: Int! text: String! }'
const writers = 6
const mostWrites = 400
const copies = Number(process.env.TWAIN_COPIES ?? 4)

test(`each of ${copies} copies of a database under ${writers} writers is a committed prefix, and the last one is served`, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'twain-copies-'))
  const database = await makeTestDatabase()
  const schemaFile = join(folder, 'schema.graphql')
  await writeFile(schemaFile, sdl)
  const open = (data: string, address: string | null) =>
    openService({ schemaFile, data, database: address, poolSize: 6, limits: defaultLimits, log: silent })
  const service = await open(folder, database.address)
  const sent: number[] = new Array(writers).fill(0)
  const acknowledged: number[] = new Array(writers).fill(0)
  let going = true
  const writing = sent.map(async (_, writer) => {
    // A fixed number, so that a slow machine has no more to copy than a fast one.
    while (going && sent[writer]! < mostWrites) {
      const number = sent[writer]!++
      assert.equal((await post(service, { writer, number, text: 'x'.repeat(200) })).status, 201)
      acknowledged[writer] = number + 1
      await pause(2)
    }
  })
  t.after(async () => {
    going = false
    await Promise.all(writing)
    await service.close()
    await database.drop()
    await rm(folder, { recursive: true })
  })
  let last = 0
  for (let count = 1; count <= copies; count++) {
    await pause(20)
    const acknowledgedBefore = [...acknowledged]
    const to = join(folder, `${count}`)
    await copyService(
      { kind: 'database', address: database.address },
      { kind: 'folder', folder: to },
      'move',
      () => {},
      new AbortController().signal,
    )
    last = checkPrefix(join(to, 'twain.db'), acknowledgedBefore, [...sent])
  }
  const again = await open(join(folder, `${copies}`), null)
  const reply = await again.handle(
    plainRequest('GET', '/entries?limit=1', { headers: { host: 'localhost', prefer: 'count=exact' } }),
  )
  assert.equal(Number(reply.headers['X-Total-Count'] ?? reply.headers['x-total-count']), last)
  await again.close()
})

async function post(service: Service, row: object): Promise<{ status: number; text: string }> {
  const headers = { host: 'localhost', 'content-type': 'application/json' }
  const reply = await service.handle(plainRequest('POST', '/entries', { headers, body: JSON.stringify(row) }))
  return { status: reply.status, text: await bodyText(reply) }
}
