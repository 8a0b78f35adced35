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
  // Without the limit the clients keep it from ever being emptied. How soon depends on how their reads overlap.
  const unlimited = await largestLog(t, 0, ({ bytes, writes }) => bytes < 32 * megabyte && writes < 300)
  assert.ok(unlimited.bytes >= 32 * megabyte, `${unlimited.bytes} bytes`)

  // With it, it grows while the reads that run may end.
  const limited = await largestLog(t, 4 * megabyte, ({ writes }) => writes < unlimited.writes)
  t.diagnostic(`${limited.writes} writes: ${unlimited.bytes} bytes without the limit, ${limited.bytes} with it`)
  assert.ok(limited.reads > 3)
  assert.ok(limited.bytes < 24 * megabyte, `${limited.bytes} bytes`)
})

interface Log {
  /** The largest of all samples. */
  bytes: number
  reads: number
  /** Of half a megabyte. */
  writes: number
}

async function largestLog(t: TestContext, walBytes: number, goOn: (log: Log) => boolean): Promise<Log> {
  const metrics = new Metrics()
  t.after(() => metrics.close())
  const service = await TestService.open(t, sdl, {
    limits: { ...defaultLimits, walBytes },
    metrics: { of: metrics, to: 'open' },
    listening: { metrics },
  })
  for (let n = 0; n < 8; n++) await service.succeed('POST', '/items', rows)
  const log: Log = { bytes: 0, reads: 0, writes: 0 }
  let isDone = false
  const read = async (client: number) => {
    for (; !isDone; log.reads++) {
      const found = await service.succeed('GET', `/items?body[contains]=${client}-${log.reads}&sort=name&limit=1`)
      assert.deepEqual(found, [])
    }
  }
  const readers = [1, 2, 3].map(read)
  while (log.reads < 3) await new Promise((resolve) => setTimeout(resolve, 10))
  for (; goOn(log); log.writes++) {
    await service.succeed('POST', '/items', rows)
    log.bytes = Math.max(log.bytes, await logBytes(service))
  }
  isDone = true
  await Promise.all(readers)
  await service.close()
  return log
}

async function logBytes(service: TestService): Promise<number> {
  const text = await (await fetch(`${service.address}/metrics`)).text()
  return Number(/^twain_sqlite_wal_bytes (\d+)$/m.exec(text)![1])
}
