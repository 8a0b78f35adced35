// Custom code that forgets to await a call of its context, which then fails: the log says where, and the server goes on.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeTestPlace } from '../../packages/twain/src/store/test-place.fixture.ts'
import { ServerProcess } from '../harness/server-process.ts'
import { until } from '../harness/until.ts'

const sdl = `
type Note @allow { id: ID! text: String! }
type Log @allow { id: ID! text: String! @unique }
extend type Mutation { forget(how: String!): String @allow }
`

const config = `const ways = {
  invalid: async ({ write }) => { write.Log.create({ text: 5 }) },
  conflict: async ({ write }) => { write.Log.create({ text: 'taken' }) },
  missing: async ({ write }) => { write.Log.update('none', { text: 'x' }) },
  transaction: async ({ transaction }) => { transaction(() => Promise.reject(new Error('of the transaction'))) },
  inside: ({ transaction }) => transaction(async ({ write }) => { await write.Log.create({ text: 'held' }); write.Log.update('none', { text: 'x' }) }),
  ended: async ({ transaction }) => { const tx = await transaction(async (inside) => { await inside.read.Log.count(); return inside }); tx.write.Log.create({ text: 'late' }) },
  enqueue: async ({ enqueue }) => { enqueue('none') },
  read: async ({ read }) => { read.Log.get('x', { lock: true }) },
}
export default {
  resolvers: { Mutation: { forget: async ({ how }, context) => { await ways[how](context) } } },
  before: { Note(write, context) { context.write.Log.create({ text: 'taken' }) } },
}
`

describe('a forgotten await', () => {
  let server: ServerProcess
  const closing: (() => unknown)[] = []
  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'twain-forgotten-'))
    const { flags, drop } = await makeTestPlace(join(folder, 'data'))
    const schemaFile = join(folder, 'schema.graphql')
    await writeFile(schemaFile, sdl)
    await writeFile(join(folder, 'twain.config.ts'), config)
    server = await ServerProcess.start(schemaFile, join(folder, 'data'), flags)
    closing.push(
      () => server.kill(),
      drop,
      () => rm(folder, { recursive: true, force: true }),
    )
    assert.equal(await post('/logs', { text: 'taken' }), 201)
  })
  after(async () => {
    for (const close of closing) await close()
  })

  async function post(path: string, body: object): Promise<number> {
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(server.address + path, { method: 'POST', headers, body: JSON.stringify(body) })
    await reply.text()
    return reply.status
  }

  const failures = () =>
    server.output
      .split('\n')
      .filter((line) => /failed outside of a call; the server goes on/.test(line))
      .map((line) => JSON.parse(line) as Record<string, string>)

  /** The next failure that the log has after the request. */
  async function failure(path: string, body: object): Promise<Record<string, string>> {
    const { length } = failures()
    await post(path, body)
    return (
      await until(
        async () => failures(),
        (now) => now.length > length,
      )
    )[length]!
  }

  const lineOf = (text: string) => config.split('\n').findIndex((line) => line.includes(text)) + 1

  for (const [how, error] of Object.entries({
    invalid: /must be/,
    conflict: /is taken|already/i,
    missing: /no Log|not exist|there is no/i,
    transaction: /of the transaction/,
    inside: /no Log|not exist|there is no|has ended/i,
    ended: /has ended: custom code must await its calls/,
    enqueue: /none/,
  })) {
    test(`of a call that fails (${how}) is logged with its line`, async () => {
      const entry = await failure('/forget-requests', { how })
      assert.match(entry.place!, new RegExp(`^twain\\.config\\.ts:${lineOf(`  ${how}:`)}:`))
      assert.match(entry['exception.stacktrace']!, error)
    })
  }

  test('in a hook is logged with its line', async () => {
    const entry = await failure('/notes', { text: 'hooked' })
    assert.match(entry.place!, new RegExp(`^twain\\.config\\.ts:${lineOf('  before:')}:`))
  })

  test('of a read is logged', async () => {
    const entry = await failure('/forget-requests', { how: 'read' })
    assert.match(entry['exception.stacktrace']!, /a lock needs a transaction/)
  })
})
