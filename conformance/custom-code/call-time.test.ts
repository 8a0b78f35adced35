// The time of a call of custom code: what it waits for Twain does not count, and what is given up is not written.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Context, ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type User @account(login: "name") @allow { id: ID! name: String! @unique }
  type Note @allow { id: ID! text: String! }
  extend type Mutation { run: String @allow }
`

const codeSeconds = 0.4

/** Set by each test. */
let run: (context: Context) => unknown = () => null

const service: ServiceCode = {
  resolvers: { Mutation: { run: (_args, context) => run(context) } },
  after: { Note: ({ row }) => (row?.text === 'held' ? pause(codeSeconds * 2500) : null) },
}

describe('the time of a call', () => {
  let apis: TestApis
  before(async () => {
    const hashPassword = async (password: string) => {
      await pause(codeSeconds * 2500)
      return password
    }
    const options = { service, hashPassword }
    apis = await openApis(sdl, { codeSeconds, timeSeconds: 200 }, undefined, undefined, undefined, options)
  })
  after(() => apis.close())

  const call = () => apis.rest('POST', '/run-requests', {})
  const note = async (text: string) => ((await restBody(apis, 'POST', '/notes', { text })) as { id: string }).id
  const notes = async (text: string) => ((await restBody(apis, 'GET', `/notes?text=${text}`)) as unknown[]).length

  test('a wait for the lock of another write does not count', async () => {
    const id = await note('free')
    for (const inTransaction of [true, false]) {
      const holder = apis.rest('PATCH', `/notes/${id}`, { text: 'held' })
      await pause(100)
      const update = ({ write }: Pick<Context, 'write'>) => write.Note!.update(id, { text: 'free' })
      run = async (context) => {
        await (inTransaction ? context.transaction(update) : update(context))
      }
      const { status, body } = await call()
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal((await holder).status, 200)
    }
  })

  test('a password that is hashed between two runs does not count', async () => {
    run = ({ transaction }) =>
      transaction(async ({ write }) => {
        await write.User!.create({ name: 'ann', password: 'the password of ann' })
      })
    const { status, body } = await call()
    assert.equal(status, 200, JSON.stringify(body))
  })

  test('a call that is given up commits nothing afterwards', async () => {
    const ended = Promise.withResolvers<unknown>()
    run = async ({ transaction, write }) => {
      const made = transaction(async (tx) => {
        await tx.write.Note!.create({ text: 'late' })
        await pause(codeSeconds * 1500)
      })
      await made.catch(() => {})
      await write.Note!.create({ text: 'late' }).catch(ended.resolve)
      await transaction((tx) => tx.write.Note!.create({ text: 'late' })).catch(ended.resolve)
    }
    const { status, headers, body } = await call()
    assert.deepEqual([status, headers['retry-after']], [503, String(codeSeconds)], JSON.stringify(body))
    assert.match(String(await ended.promise), /did not finish within 0.4 s\.$/)
    await pause(codeSeconds * 2000) // so long the code would go on
    assert.equal(await notes('late'), 0)
  })
})
