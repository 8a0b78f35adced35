// One node of a PostgreSQL database has a wrong clock: it takes no requests, and nothing is lost to the others.
// stores: postgres
// process: own (it signs in at another process)

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makePreparedDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'
import { SimulatedServer } from '../simulate/simulated-server.ts'
import { AgedData, agedSdl, day, everything, hour, send } from './aged-data.ts'

const sdl = `${agedSdl} type User @account @allow(to: [CREATE]) { id: ID! email: String! @unique }`

for (const [direction, skew] of [
  ['ahead', 9 * day],
  ['behind', -9 * day],
] as const) {
  test(`a node whose clock goes ${direction} by days is not ready, destroys nothing, and recovers by itself`, async (t) => {
    const { right, skewed, openRight } = await open(t)
    await skewed.start()
    const data = await AgedData.make(right.address)
    await skewed.advance(hour, { jump: skew })
    assert.match(await readiness(skewed, 503), /the clock of this node is 7\d{5} s/)
    const { text } = await send(skewed.address, 'GET', '/metrics')
    assert.match(text, new RegExp(`^twain_clock_offset_seconds ${skew < 0 ? '-' : ''}7\\d{5}`, 'm'))
    const across = await AgedData.make(skewed.address)
    await skewed.advance(hour)
    const found = [await data.find(skewed.address), await across.find(skewed.address)]
    const next = await openRight() // a start looks for old rows
    found.push(await data.find(next.address), await across.find(right.address))
    assert.deepEqual(found, [everything, everything, everything, everything])
    await skewed.advance(6000, { jump: Date.now() - skewed.wall })
    await readiness(skewed, 200)
  })
}

test('a node whose clock is some seconds off warns, and serves', async (t) => {
  const { skewed } = await open(t, 40_000)
  await skewed.start()
  assert.match(
    skewed.output,
    /the clocks of this node and of the database differ; synchronize.*"ahead_seconds":[1-4]\d/,
  )
})

test('a node that starts with a wrong clock is not ready', async (t) => {
  const { right, skewed } = await open(t, 9 * day)
  const data = await AgedData.make(right.address)
  await skewed.start(503)
  await skewed.advance(hour)
  assert.deepEqual([await data.find(skewed.address), await data.find(right.address)], [everything, everything])
})

test('whoever signs in at a node whose clock is days ahead has a session and pauses of the right time', async (t) => {
  const { right, skewed } = await open(t)
  await skewed.start()
  const ann = { email: 'ann@example.org', password: 'the wind in the sails' }
  const signIn = (address: string, password = ann.password) => send(address, 'POST', '/tokens', { ...ann, password })
  await send(right.address, 'POST', '/users', ann)
  await skewed.advance(0, { jump: 9 * day })
  const { body, text } = await signIn(skewed.address)
  assert.ok(body.token, text)
  const { exp } = JSON.parse(Buffer.from(body.token.split('.')[1], 'base64url').toString())
  assert.ok(Math.abs(exp * 1000 - Date.now() - 900_000) < hour, `ends ${new Date(exp * 1000).toISOString()}`)
  for (let n = 0; n < 5; n++) assert.equal((await signIn(skewed.address, 'the wind in the trees')).status, 401)
  const signedIn = await until(
    () => signIn(right.address),
    ({ status }) => status === 201,
  )
  assert.equal(signedIn.status, 201)
})

async function readiness(server: SimulatedServer, status: number): Promise<string> {
  const found = await until(
    async () => {
      await server.advance(1000)
      return send(server.address, 'GET', '/readyz')
    },
    (reply) => reply.status === status,
  )
  assert.equal(found.status, status, server.output)
  return found.text
}

/** `ahead`: how far the clock of the skewed node is ahead at its start. */
async function open(t: TestContext, ahead = 0) {
  const folder = await mkdtemp(join(tmpdir(), 'twain-skewed-'))
  await writeFile(join(folder, 'schema.graphql'), sdl)
  const database = await makePreparedDatabase()
  const skewed = new SimulatedServer(folder, ['--database', database.address], 1, Date.now() + ahead)
  const closers: (() => Promise<void>)[] = []
  t.after(async () => {
    await skewed.kill()
    for (const close of closers) await close()
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })
  const openRight = () =>
    TestService.open({ after: (close) => void closers.push(close as () => Promise<void>) }, sdl, {
      database: database.address,
    })
  const right = await openRight()
  return { right, skewed, openRight }
}
