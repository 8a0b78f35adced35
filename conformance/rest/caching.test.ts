// `@cacheControl` on both faces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openFaces } from '../open-faces.ts'

test('R65: a GET of GraphQL may be kept as long as the same one of REST', async () => {
  const faces = await openFaces('type Note @cacheControl(maxAge: 60) { id: ID! hits: Int @cacheControl(maxAge: 5) }')
  try {
    await faces.rest('PUT', '/notes/n1', { hits: 1 })
    const graphql = async (query: string) => {
      const path = `/graphql?query=${encodeURIComponent(query)}`
      return (await faces.send('graphql', { method: 'GET', path })).headers['cache-control']
    }
    const rest = async (path: string) => (await faces.rest('GET', path)).headers['cache-control']
    assert.equal(await rest('/notes/n1?fields=id'), 'public, max-age=60')
    assert.equal(await graphql('{ note(id: "n1") { id } }'), 'public, max-age=60')
    assert.equal(await rest('/notes?fields=hits'), 'public, max-age=5')
    assert.equal(await graphql('{ note(id: "n1") { id } notes { hits } }'), 'public, max-age=5')
    assert.equal(await graphql('{ note(id: "n1") { id } __typename }'), undefined)
    assert.equal(await graphql('{ note(id: "n1") { nope } }'), undefined)
  } finally {
    await faces.close()
  }
})
