import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#base'
import { anonymous, plainRequest } from '#base/http'
import { loadModel } from '#model'
import { createGraphiql } from './graphiql.ts'

test('the page and its files have ETags, and the page has a policy without other origins', async () => {
  const page = await send('/graphql')
  assert.match(
    String(page.headers['content-security-policy']),
    /^default-src 'none'; script-src 'self'; style-src 'self'/,
  )
  const files = [...String(page.body).matchAll(/(?:src|href)="(graphql\/[^"]+)"/g)].map(([, path]) => `/${path}`)
  assert.equal(files.length, 6)
  for (const path of files) {
    const file = await send(path)
    assert.equal(file.status, 200)
    assert.match(String(file.headers['content-type']), path.endsWith('.css') ? /^text\/css/ : /^text\/javascript/)
    const again = await send(path, { 'if-none-match': String(file.headers.etag) })
    assert.deepEqual([again.status, again.body], [304, null])
  }
  assert.doesNotMatch(String((await send('/graphql/graphiql.css')).body), /@font-face|url\(http/)
})

test('other paths are not found, and the files only take GET', async () => {
  for (const path of ['/graphql/x', '/graphql/../package.json', '/graphql/__proto__', '/graphql/constructor']) {
    await assert.rejects(
      async () => send(path),
      (error) => error instanceof ApiError && error.status === 404,
    )
  }
  const rejected = (error: unknown) => error instanceof ApiError && error.headers.allow === 'GET, HEAD, OPTIONS'
  await assert.rejects(async () => send('/graphql/page.js', {}, 'POST'), rejected)
  assert.equal((await send('/graphql/page.js', {}, 'OPTIONS')).status, 204)
})

test('text of the schema is data on the page, not markup', async () => {
  const name = '</script><script>alert(1)</script>'
  const { body } = await send('/graphql', {}, 'GET', `extend schema @service(name: "${name}") type A { id: ID! }`)
  assert.doesNotMatch(String(body), /<script>alert/)
  const [, data] = /<script id="page-data" type="application\/json">(.*)<\/script>/.exec(String(body)) ?? []
  assert.equal(JSON.parse(data!).name, name)
})

function send(path: string, headers: Record<string, string> = {}, method = 'GET', sdl = 'type A { id: ID! }') {
  return createGraphiql(loadModel(sdl, 'schema.graphql'))!(plainRequest(method, path, { headers }), anonymous)
}
