// Uploads over a real socket: a common client, slow and broken senders, and what they leave behind.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ApolloClient, gql, InMemoryCache } from '@apollo/client'
import UploadHttpLink from 'apollo-upload-client/UploadHttpLink.mjs'
import { listen } from '../../packages/twain/src/http/index.ts'
import { openService } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { makeTestStorage, type TestStorage } from './test-storage.ts'

const sdl = `
type Album { id: ID! title: String! cover: File photos: [File!]! }
`
const log = { info() {}, warn() {}, error: console.error }

describe('uploads', () => {
  let place: TestStorage
  let address: string
  let port: number
  let close: () => Promise<void>

  before(async () => {
    place = await makeTestStorage()
    const { data, database } = place
    const schemaFile = join(place.folder, 'albums.graphql')
    writeFileSync(schemaFile, sdl)
    const limits = defaultLimits
    const service = await openService({ schemaFile, data, database, limits, log })
    const server = await listen({ handle: service.handle, host: '127.0.0.1', port: 0, body: limits.bodyBytes, log })
    port = server.port
    address = `http://127.0.0.1:${port}`
    close = async () => {
      await server.close()
      await service.close()
    }
  })

  after(async () => {
    await close()
    await place.drop()
  })

  const stored = () => place.stored()

  test('apollo-upload-client sends files alone, in inputs and in lists', async () => {
    const link = new UploadHttpLink({ uri: `${address}/graphql`, headers: { 'apollo-require-preflight': 'true' } })
    const client = new ApolloClient({ link, cache: new InMemoryCache() })
    const file = (name: string, text: string) => new File([text], name, { type: 'text/plain' })

    const alone = await client.mutate<{ uploadFile: { id: string; size: number } }>({
      mutation: gql`mutation ($file: Upload!) { uploadFile(file: $file) { id name mediaType size } }`,
      variables: { file: file('a.txt', 'aaa') },
    })
    assert.equal(alone.data?.uploadFile.size, 3)

    const cover = file('cover.txt', 'cover')
    const album = await client.mutate<{ createAlbum: { cover: { url: string }; photos: { name: string }[] } }>({
      mutation: gql`mutation ($input: CreateAlbumInput!) {
        createAlbum(input: $input) { id cover { id url } photos { id name } }
      }`,
      variables: { input: { title: 'x', cover, photos: [alone.data?.uploadFile.id, cover, file('b.txt', 'bb')] } },
    })
    const made = album.data?.createAlbum
    assert.deepEqual(made?.photos.map(({ name }) => name).sort(), ['a.txt', 'b.txt', 'cover.txt'])
    assert.equal(await (await fetch(`${address}${made?.cover.url}`)).text(), 'cover')
  })

  test('a browser’s form is accepted, and its bytes are served complete and in ranges', async () => {
    const bytes = new Uint8Array(3_000_000).map((_, index) => (index * 7919) >> 3)
    const body = new FormData()
    body.append('file', new Blob([bytes], { type: 'image/png' }), 'große.png')
    const reply = await fetch(`${address}/files`, { method: 'POST', body })
    const made = (await reply.json()) as { name: string; url: string }
    assert.equal(made.name, 'große.png')
    const whole = await fetch(`${address}${made.url}`)
    assert.deepEqual(new Uint8Array(await whole.arrayBuffer()), bytes)
    const part = await fetch(`${address}${made.url}`, { headers: { range: 'bytes=1000000-2999999' } })
    assert.equal(part.status, 206)
    assert.deepEqual(new Uint8Array(await part.arrayBuffer()), bytes.subarray(1_000_000))
    const head = await fetch(`${address}${made.url}`, { method: 'HEAD' })
    assert.equal(head.headers.get('content-length'), '3000000')
  })

  test('text is compressed for clients that accept it; compressed formats and ranges never are', async () => {
    const headers = { 'accept-encoding': 'gzip' }
    const text = 'as it was '.repeat(1000)
    const upload = async (type: string) => {
      const reply = await fetch(`${address}/files`, { method: 'POST', body: text, headers: { 'content-type': type } })
      return `${address}${((await reply.json()) as { url: string }).url}`
    }
    const plain = await upload('text/plain')
    const compressed = await fetch(plain, { headers })
    assert.equal(compressed.headers.get('content-encoding'), 'gzip')
    assert.equal(compressed.headers.get('accept-ranges'), null)
    assert.equal(await compressed.text(), text)
    const etag = compressed.headers.get('etag') ?? ''
    assert.equal((await fetch(plain, { headers: { ...headers, 'if-none-match': etag } })).status, 304)
    const resumed = await fetch(plain, { headers: { ...headers, range: 'bytes=10-', 'if-range': etag } })
    assert.deepEqual([resumed.status, await resumed.text()], [200, text])
    const part = await fetch(plain, { headers: { ...headers, range: 'bytes=10-' } })
    assert.deepEqual([part.status, part.headers.get('content-encoding')], [206, null])
    assert.equal(await part.text(), text.slice(10))
    const picture = await fetch(await upload('image/png'), { headers })
    assert.deepEqual([picture.headers.get('content-encoding'), picture.headers.get('content-length')], [null, '10000'])
    assert.equal(await picture.text(), text)
  })

  test('a file that is too large is refused, with and without a Content-Length, and nothing is left', async () => {
    const before = await stored()
    const output = await fetch(`${address}/files`, { method: 'POST', body: new Uint8Array(10_485_761) })
    assert.equal(output.status, 413)
    const unsaid = await send(port, { 'transfer-encoding': 'chunked' }, (out) => {
      let sent = 0
      const more = () => {
        while (sent++ < 400) if (!out.write(Buffer.alloc(65_536))) return void out.once('drain', more)
        out.end()
      }
      more()
    })
    assert.equal(unsaid.status, 413)
    assert.equal(await stored(), before)
  })

  test('a client that waits for 100 Continue gets it, or is refused before it sends the body', async () => {
    let sent = 0
    const reply = await send(port, { expect: '100-continue', 'content-length': '5' }, (out) => {
      out.on('continue', () => {
        sent++
        out.end('hello')
      })
      out.flushHeaders()
    })
    assert.deepEqual([reply.status, sent], [201, 1])
    const refused = await send(port, { expect: '100-continue', 'content-length': '99999999' }, (out) => {
      out.on('continue', () => out.destroy())
      out.flushHeaders()
    })
    assert.equal(refused.status, 413)
  })

  test('a sender that disconnects leaves nothing', async () => {
    const before = await stored()
    for (const path of ['/files', '/graphql']) {
      const boundary = 'multipart/form-data; boundary=x'
      const headers = { 'content-length': '100000', 'x-requested-with': 'x', 'content-type': boundary }
      const operations = '{"query": "mutation ($f: Upload!) { uploadFile(file: $f) { id } }", "variables": {"f": null}}'
      const part = (name: string, text: string, file = '') =>
        `--x\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${text}`
      const texts = `${part('operations', operations)}\r\n${part('map', '{"0": ["variables.f"]}')}\r\n`
      const body = `${path === '/files' ? '' : texts}${part('0', 'some bytes', '; filename="a"')}`
      const out = request({ port, path, method: 'POST', headers })
      out.on('error', () => {})
      await new Promise((resolve) => out.write(body, resolve))
      await new Promise((resolve) => setTimeout(resolve, 100))
      out.destroy()
    }
    for (let tries = 0; tries < 100 && (await stored()) !== before; tries++)
      await new Promise((done) => setTimeout(done, 20))
    assert.equal(await stored(), before)
  })
})

function send(
  port: number,
  headers: Record<string, string>,
  write: (out: ReturnType<typeof request>) => void,
): Promise<{ status: number | undefined }> {
  return new Promise((resolve, reject) => {
    const out = request({ port, path: '/files', method: 'POST', headers }, (reply) => {
      reply.resume()
      resolve({ status: reply.statusCode })
    })
    out.on('error', reject)
    write(out)
  })
}
