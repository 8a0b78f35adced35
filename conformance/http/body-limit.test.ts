// Request bodies over the limit, over a real port: the HTTP server refuses them before an API sees them.
// stores: sqlite

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ServerProcess } from '../harness/server-process.ts'

const sdl = 'type Greeting @allow { id: ID!, text: String! }'
const big = JSON.stringify({ text: 'x'.repeat(2_000_000) })

describe('bodies over the limit', () => {
  let folder: string
  let server: ServerProcess

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'twain-oversize-'))
    const schemaFile = join(folder, 'schema.graphql')
    await writeFile(schemaFile, sdl)
    server = await ServerProcess.start(schemaFile, join(folder, 'data'))
  })
  after(async () => {
    await server.stop()
    await rm(folder, { recursive: true })
  })

  for (const path of ['/greetings', '/graphql']) {
    test(`${path} refuses a body with a Content-Length`, async () => {
      await expectTooLarge(await post(path, big))
    })

    test(`${path} refuses a chunked body`, async () => {
      const stream = new Blob([big]).stream()
      await expectTooLarge(await post(path, stream))
    })
  }

  test('nothing was written, and the next request is served', async () => {
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
