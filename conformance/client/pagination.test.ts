// Pages of a connection in a watched query: what `fetchMore` has brought stays, until the query is asked anew.
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

test('further pages stay while a query is kept fresh, and refetch begins with the first', async () => {
  const client = createClient({ url: library.url, fetch: library.fetch, retry: { attempts: 1 } })
  const watch = client.watch<Pages, { first: number; after?: string }>(pages, { first: 2 })
  const stop = watch.subscribe(() => {})
  const { data } = await watch.refetch()
  const [first] = data!.booksConnection.edges
  const more = () => watch.fetchMore({ after: data!.booksConnection.pageInfo.endCursor })
  const shown = () => watch.current.data!.booksConnection.edges.map(({ node }) => node.title).join('')
  /** What is shown, and what is shown after a row of it has changed. */
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
