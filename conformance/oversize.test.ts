// Bodies over the limit, over a real port: they are stopped by the http room, before either face sees them.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ServerProcess } from './server-process.ts'

const schemaFile = join(import.meta.dirname, '../examples/hello/schema.graphql')
const big = JSON.stringify({ text: 'x'.repeat(2_000_000) })

describe('bodies over the limit', () => {
  let data: string
  let server: ServerProcess

  before(async () => {
    data = await mkdtemp(join(tmpdir(), 'twain-oversize-'))
    server = await ServerProcess.start(schemaFile, data)
  })
  after(async () => {
    await server.stop()
    await rm(data, { recursive: true })
  })

  for (const path of ['/greetings', '/graphql']) {
    test(`${path} refuses a body whose length is said`, async () => {
      await expectTooLarge(await post(path, big))
    })

    test(`${path} refuses a body whose length is not said`, async () => {
      const stream = new Blob([big]).stream()
      await expectTooLarge(await post(path, stream))
    })
  }

  test('and nothing was written, and the next request is served', async () => {
    assert.equal((await post('/greetings', JSON.stringify({ text: 'hello' }))).status, 201)
    const rows = (await (await fetch(`${server.address}/greetings`)).json()) as { text: string }[]
    assert.deepEqual(
      rows.map(({ text }) => text),
      ['hello'],
    )
  })

  function post(path: string, body: string | ReadableStream): Promise<Response> {
    return fetch(`${server.address}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit)
  }
})

async function expectTooLarge(reply: Response): Promise<void> {
  assert.equal(reply.status, 413)
  assert.match(await reply.text(), /PAYLOAD_TOO_LARGE/)
}
