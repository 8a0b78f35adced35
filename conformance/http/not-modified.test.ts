// A 304 has the `ETag`, `Cache-Control` and `Vary` of the 200 that it stands for (RFC 9110, 15.4.5), compressed or not.
// stores: sqlite

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestService } from '../harness/test-service.ts'

const sdl = `
type Note @allow { id: ID!, text: String!, picture: File }
type Label @allow @cacheControl(maxAge: 60, scope: PUBLIC) { id: ID!, text: String! }
extend type Query { shout: String! }
`
const code = `export default { resolvers: { Query: { shout: () => 'x'.repeat(2000) } } }`

test('short, long, compressed, streamed and generated representations', async (t) => {
  const service = await TestService.open(t, sdl, { code })
  const put = (path: string, body: unknown) => service.succeed('PUT', path, body)
  await put('/notes/short', { text: 'short' })
  await put('/notes/long', { text: 'long '.repeat(500) })
  await put('/labels/a', { text: 'a' })
  const files = ['text/plain', 'image/png'].map(async (type) => {
    const reply = await fetch(`${service.address}/files`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: 'x'.repeat(2000),
    })
    return `/files/${((await reply.json()) as { id: string }).id}`
  })
  const paths = [
    '/notes/short',
    '/notes/long',
    '/notes',
    '/notes?limit=0',
    '/labels/a',
    '/labels?first=1',
    '/shout',
    '/changes',
    '/graphql?query={notes{text}}',
    '/graphql?query={labels{id}}',
    '/openapi.json',
    '/docs',
    '/favicon.ico',
    '/',
    ...(await Promise.all(files)),
  ]
  for (const path of paths) {
    for (const coding of ['identity', 'br']) {
      const ask = (more: object) =>
        fetch(`${service.address}${path}`, { headers: { 'accept-encoding': coding, ...more } })
      const full = await ask({})
      await full.arrayBuffer()
      const known = await ask({ 'if-none-match': full.headers.get('etag')! })
      assert.deepEqual([full.status, known.status], [200, 304], path)
      const fields = ({ headers }: Response) => ['etag', 'cache-control', 'vary'].map((name) => headers.get(name))
      assert.deepEqual(fields(known), fields(full), `${path} as ${coding}`)
    }
  }
})
