// Pages of a connection in a watched query: pages that `fetchMore` has loaded stay until the query is refetched.
// stores: sqlite

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClient } from '@twain/client'
import { Library } from './open-library.ts'

interface Pages {
  booksConnection: { edges: { node: { id: string; title: string } }[]; pageInfo: { endCursor: string } }
}

const pages = `query Pages($first: Int!, $after: String) {
  booksConnection(first: $first, after: $after, orderBy: [{ title: ASC }]) {
    edges { cursor node { id title } } pageInfo { endCursor hasNextPage }
  }
}`

let library: Library
before(async () => {
  library = await Library.open()
  for (const title of ['a', 'b', 'c', 'd', 'e']) await library.book({ title })
})
after(() => library.close())

test('loaded pages stay while a query is updated, and refetch begins with the first', async () => {
  const client = createClient({ url: library.url, fetch: library.fetch, retry: { attempts: 1 } })
  const watch = client.watch<Pages, { first: number; after?: string }>(pages, { first: 2 })
  const stop = watch.subscribe(() => {})
  const { data } = await watch.refetch()
  const [first] = data!.booksConnection.edges
  const more = () => watch.fetchMore({ after: data!.booksConnection.pageInfo.endCursor })
  const shown = () => watch.current.data!.booksConnection.edges.map(({ node }) => node.title).join('')
  /** The shown rows, and those after one of them has changed. */
  const steady = async () => {
    const now = shown()
    const rename = 'mutation ($id: ID!, $title: String!) { updateBook(id: $id, title: $title) { id title } }'
    await client.mutate(rename, { id: first!.node.id, title: 'A' })
    assert.equal(shown(), now.replace('a', 'A'))
    await client.mutate(rename, { id: first!.node.id, title: 'a' })
    return now
  }
  assert.equal(await steady(), 'ab')
  await more()
  assert.equal(await steady(), 'abcd')
  await watch.refresh()
  assert.equal(await steady(), 'abcd')
  library.before = () => assert.fail('cut')
  await assert.rejects(watch.refetch())
  library.before = null
  assert.equal(await steady(), 'abcd', 'what fails changes nothing')
  await watch.refetch()
  assert.equal(await steady(), 'ab')
  await more()
  assert.equal(await steady(), 'abcd')
  stop()
})
