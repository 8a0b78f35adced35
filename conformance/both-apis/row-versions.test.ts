// A row has one version number: `_version` in GraphQL, the `ETag` in REST, `version` in events. Each can be the precondition of every
// kind of write, links included.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = `
type Post @allow { id: ID! title: String tags: [Tag!]! }
type Tag @allow { id: ID! word: String posts: [Post!]! }
`

test('_version, the ETag and the version of events are the same after every kind of write', async (t) => {
  const service = await TestService.open(t, sdl)
  const { ask, versions, post, tag, ...ways } = await openRow(service)
  const writes: [string, () => Promise<unknown>][] = [
    ['merge patch', () => ask('PATCH', `/posts/${post}`, { title: 'b' })],
    ['PUT', () => ask('PUT', `/posts/${post}`, { title: 'c' })],
    ['link', () => ask('PUT', `/posts/${post}/tags/${tag}`)],
    ['unlink', () => ask('DELETE', `/posts/${post}/tags/${tag}`)],
    ['updatePost', () => ways.graphql(`mutation { updatePost(id: "${post}", title: "d") { _version } }`)],
    ['replacePost', () => ways.graphql(`mutation { replacePost(id: "${post}", input: {title: "e"}) { _version } }`)],
    ['links in an update', () => ways.graphql(`mutation { updatePost(id: "${post}", tags: ["${tag}"]) { _version } }`)],
    ['/batch', () => ask('POST', '/batch', [{ method: 'PATCH', path: `/posts/${post}`, body: { title: 'f' } }])],
    ['nothing new', () => ask('PATCH', `/posts/${post}`, { title: 'f' })],
  ]
  for (const [way, write] of writes) {
    await write()
    const { etag, version, event } = await versions()
    assert.deepEqual([version, event], [etag, etag], way)
  }
  assert.equal((await versions()).version, writes.length, 'each but the last made a version')
})

test('every kind of write is refused with an old version, and accepted with the current one', async (t) => {
  const service = await TestService.open(t, sdl)
  const { ask, graphql, versions, post, tag } = await openRow(service)
  const rest: [string, string, unknown?][] = [
    ['PATCH', `/posts/${post}`, { title: 'b' }],
    ['PUT', `/posts/${post}`, { title: 'c' }],
    ['PUT', `/posts/${post}/tags/${tag}`],
    ['DELETE', `/posts/${post}/tags/${tag}`],
  ]
  for (const [method, path, body] of rest) {
    const { version } = await versions()
    const [stale, now] = [version - 1, version].map((number) => ({ 'if-match': `"${number}"` }))
    assert.equal((await ask(method, path, body, stale)).status, 412, `${method} ${path}`)
    assert.equal((await versions()).version, version)
    const batched = [{ method, path, body, headers: stale }]
    assert.equal((await ask('POST', '/batch', batched)).status, 412, `${method} ${path} in a batch`)
    assert.ok((await ask(method, path, body, now)).status < 300, `${method} ${path}`)
    assert.equal((await versions()).version, version + 1)
  }
  const mutations = [
    (version: number) => `updatePost(id: "${post}", title: "g${version}", ifVersion: ${version}) { _version }`,
    (version: number) =>
      `replacePost(id: "${post}", input: {title: "h${version}"}, ifVersion: ${version}) { _version }`,
    (version: number) => `updatePost(id: "${post}", tags: ["${tag}"], ifVersion: ${version}) { _version }`,
    (version: number) => `deletePost(id: "${post}", ifVersion: ${version}) { success }`,
  ]
  for (const mutation of mutations) {
    const { version } = await versions()
    for (const directive of ['', '@transaction ']) {
      const refused = await graphql(`mutation ${directive}{ ${mutation(version - 1)} }`)
      assert.equal(refused.errors?.[0]?.extensions?.code, 'PRECONDITION_FAILED', mutation(version - 1))
    }
    assert.equal((await graphql(`mutation { ${mutation(version)} }`)).errors, undefined, mutation(version))
  }
})

/** A row, and a tag to link it with. */
async function openRow(service: TestService) {
  const ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    service.send(method, path, body, headers)
  const idOf = async (path: string, body: object) => ((await ask('POST', path, body)).body as { id: string }).id
  const [post, tag] = [await idOf('/posts', { title: 'a' }), await idOf('/tags', { word: 'w' })]
  const graphql = async (query: string) => (await ask('POST', '/graphql', { query })).body as Answer
  const versions = async () => {
    const { headers } = await ask('GET', `/posts/${post}`)
    const { data } = await graphql(`{ post(id: "${post}") { _version } }`)
    const version = data!.post._version
    const lastEvent = async () => {
      const changes = (await ask('GET', '/changes?resource=posts&first=100')).body as Page
      return changes.edges.filter(({ node }) => node.subject === post).at(-1)?.node.version
    }
    return {
      etag: Number(/^"(\d+)-/.exec(String(headers.get('etag')))?.[1]),
      version,
      event: await until(lastEvent, (event) => event === version),
    }
  }
  return { ask, graphql, versions, post, tag }
}

interface Answer {
  data?: { post: { _version: number } }
  errors?: { extensions?: { code?: string } }[]
}

interface Page {
  edges: { node: { subject: string; version: number } }[]
}
