// The clock of a server on SQLite jumps, while it runs and before a start: nothing is deleted before its time has really passed.
// stores: sqlite

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { SimulatedServer } from '../simulate/simulated-server.ts'
import { AgedData, agedSdl, day, everything, hour, nothing } from './aged-data.ts'

test('a clock that jumps while the server runs deletes nothing, whether it comes back or not', async (t) => {
  const { server, data } = await open(t)
  for (const jump of [9 * day, -9 * day, -9 * day]) {
    await server.advance(hour, { jump })
    await server.advance(hour)
    assert.deepEqual(await data.find(server.address), everything)
  }
  for (let days = 0; days < 30; days++) await server.advance(day)
  assert.deepEqual(await data.find(server.address), nothing)
})

test('a jump ends no history, also if the clock stays ahead for longer than histories are kept', async (t) => {
  const { server, data } = await open(t, ['--events-retention-seconds', '3600'])
  const hasHistory = async () => (await data.find(server.address)).hasHistory
  for (let hours = 0; hours < 48; hours++) await server.advance(hour)
  await server.advance(hour, { jump: 9 * day })
  for (let hours = 0; hours < 5 * 24; hours++) {
    if (hours === 36) {
      await server.kill()
      await server.start()
    }
    await server.advance(hour)
    if (hours % 12 === 0) assert.ok(await hasHistory(), `${hours} hours after the jump`)
  }
  for (let days = 0; days < 9; days++) await server.advance(day)
  assert.ok(!(await hasHistory()))
})

test('a start with a clock that is days ahead deletes nothing', async (t) => {
  const { server, data } = await open(t)
  await server.kill('SIGTERM')
  server.wall += 9 * day
  await server.start()
  await server.advance(hour)
  assert.deepEqual(await data.find(server.address), everything)
  await server.kill('SIGKILL')
  server.wall -= 9 * day
  await server.start()
  await server.advance(hour)
  assert.deepEqual(await data.find(server.address), everything)
})

test('after a pause, what is old is deleted within a tenth of the pause', async (t) => {
  const { server, data } = await open(t)
  await server.advance(hour)
  await server.kill('SIGKILL')
  server.sleep(20 * day)
  await server.start()
  await server.advance(hour)
  assert.deepEqual(await data.find(server.address), everything)
  for (let hours = 0; hours < 60; hours += 6) await server.advance(6 * hour)
  assert.deepEqual(await data.find(server.address), nothing)
})

async function open(
  t: TestContext,
  flags: readonly string[] = [],
): Promise<{ server: SimulatedServer; data: AgedData }> {
  const folder = await mkdtemp(join(tmpdir(), 'twain-jumps-'))
  await writeFile(join(folder, 'schema.graphql'), agedSdl)
  const server = new SimulatedServer(folder, flags, 1, Date.now())
  t.after(async () => {
    await server.kill()
    await rm(folder, { recursive: true, force: true })
  })
  await server.start()
  const data = await AgedData.make(server.address)
  await server.advance(hour)
  return { server, data }
}
