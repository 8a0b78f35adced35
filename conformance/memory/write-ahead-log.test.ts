// The write-ahead log of SQLite stays small beside clients that always read (docs/operations/sqlite.md).
// stores: sqlite

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Metrics } from '../../packages/twain/src/http/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = 'type Item @allow { id: ID! name: String! body: String! }'
const row = { name: 'a', body: 'x'.repeat(5000) }
const rows = Array.from({ length: 100 }, () => row) // half a megabyte
const megabyte = 1_000_000

test('the log is emptied beside clients that read all the time, and no read fails', async (t) => {
  const limited = await largestLog(t, 4 * megabyte)
  assert.ok(limited.reads > 3)

  // Without the limit the same clients keep it from ever being emptied. With it, it grows while the reads that run may end.
  const unlimited = await largestLog(t, 0)
  assert.ok(unlimited.bytes > 24 * megabyte, `${unlimited.bytes} bytes`)
  assert.ok(limited.bytes < 0.7 * unlimited.bytes, `${limited.bytes} bytes`)
})

/** The size of the log, largest of all samples, while 16 MB of rows are written. */
async function largestLog(t: TestContext, walBytes: number): Promise<{ bytes: number; reads: number }> {
  const metrics = new Metrics()
  t.after(() => metrics.close())
  const service = await TestService.open(t, sdl, {
    limits: { ...defaultLimits, walBytes },
    metrics: { of: metrics, to: 'open' },
    listening: { metrics },
  })
  for (let n = 0; n < 8; n++) await service.succeed('POST', '/items', rows)
  let reads = 0
  let isDone = false
  const read = async (client: number) => {
    for (; !isDone; reads++) {
      const found = await service.succeed('GET', `/items?body[contains]=${client}-${reads}&sort=name&limit=1`)
      assert.deepEqual(found, [])
    }
  }
  const readers = [1, 2, 3].map(read)
  let bytes = 0
  while (reads < 3) await new Promise((resolve) => setTimeout(resolve, 10))
  for (let n = 0; n < 32; n++) {
    await service.succeed('POST', '/items', rows)
    bytes = Math.max(bytes, await logBytes(service))
  }
  isDone = true
  await Promise.all(readers)
  await service.close()
  return { bytes, reads }
}

async function logBytes(service: TestService): Promise<number> {
  const text = await (await fetch(`${service.address}/metrics`)).text()
  return Number(/^twain_sqlite_wal_bytes (\d+)$/m.exec(text)![1])
}
