// REST and GraphQL through one client share a cache: each shows what the other has read. And live queries, which follow the change log.
// stores: sqlite

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient, HttpError } from '@twain/client'
import { openCuttableLibrary } from './open-cuttable-library.ts'

interface Book {
  id: string
  title: string
  author: { name: string } | null
  about: { text: string | null; words: number | null } | null
}

const book = 'query Book($id: ID!) { book(id: $id) { id title author { id name } about { text words } } }'

const { library, connection } = await openCuttableLibrary()

describe('both APIs in one cache', () => {
  const open = () => createClient({ url: library.url, fetch: library.fetch })

  test('a REST answer updates watched GraphQL queries of the row', async () => {
    const client = open()
    const ann: { id: string } = await library.service.succeed('POST', '/authors', { name: 'Ann' })
    const ben: { id: string } = await library.service.succeed('POST', '/authors', { name: 'Ben' })
    const { id } = await library.book({ title: 'One', author: ann.id, about: { text: 'a', words: 1 } })
    await client.query('query Authors { authors { id name } }')
    const shown: (Book | undefined)[] = []
    const stop = client
      .watch<{ book: Book }, { id: string }>(book, { id })
      .subscribe(({ data }) => shown.push(data?.book))
    while (shown.at(-1) === undefined) await pause(5)
    await library.service.succeed('PATCH', `/books/${id}`, { title: 'Two', author: ben.id, about: { words: 2 } })
    library.sent.length = 0
    const { data } = await client.rest.get<{ title: string }>(`/books/${id}`)
    assert.equal(data?.title, 'Two')
    assert.deepEqual(shown.at(-1), {
      __typename: 'Book',
      id,
      title: 'Two',
      author: { __typename: 'Author', id: ben.id, name: 'Ben' },
      about: { __typename: 'About', text: 'a', words: 2 },
    })
    // An unchanged row is not sent again.
    const again = await client.rest.get<{ title: string }>(`/books/${id}`)
    assert.deepEqual([again.status, again.data], [304, data])
    assert.ok(library.sent[1]?.headers.get('if-none-match'))
    // Writes update the cache too, and carry an idempotency key; lists update each of their rows.
    await client.rest.patch(`/books/${id}`, { title: 'Three' })
    assert.equal(shown.at(-1)?.title, 'Three')
    assert.ok(library.sent[2]?.headers.get('idempotency-key'))
    await library.service.succeed('PATCH', `/books/${id}`, { title: 'Four' })
    await client.rest.get('/books?limit=100')
    assert.equal(shown.at(-1)?.title, 'Four')
    await client.rest.delete(`/books/${id}`)
    assert.equal(shown.at(-1), null)
    stop()
    await assert.rejects(
      client.rest.get(`/books/${id}`),
      (error) => error instanceof HttpError && error.problem?.code === 'NOT_FOUND',
    )
    assert.equal((await client.rest.post<{ id: string }>('/books', { title: 'New' })).status, 201)
  })

  test('a live query shows what others write, across lost connections, with as few requests as possible', async () => {
    const client = createClient({ url: `${connection.address}/graphql`, retry: { attempts: 1 } })
    const list =
      'query Live { books(where: {title: {startsWith: "live"}}, orderBy: [{title: ASC}], limit: 50) { id title } }'
    let titles: string[] | undefined
    const stop = client.live<{ books: Book[] }>(list).subscribe(({ data }) => {
      titles = data?.books.map(({ title }) => title)
    })
    const shows = async (...expected: string[]) => {
      const deadline = performance.now() + 60_000
      while (titles?.join() !== expected.join()) {
        if (performance.now() > deadline) assert.deepEqual(titles, expected)
        await pause(10)
      }
    }
    await shows()
    const { id } = await library.book({ title: 'live 1' })
    await shows('live 1')
    await library.service.succeed('PATCH', `/books/${id}`, { title: 'live 2' })
    await shows('live 2')
    connection.cut()
    await library.book({ title: 'live 3' })
    await library.service.send('DELETE', `/books/${id}`)
    connection.mend()
    await shows('live 3')
    await Promise.all(Array.from({ length: 20 }, (_, n) => library.book({ title: `live ${n + 10}` })))
    await shows(...Array.from({ length: 20 }, (_, n) => `live ${n + 10}`), 'live 3')
    stop()
  })
})
