// REST and GraphQL through one client share a cache: each shows what the other has read. And live queries, which follow the change log.
// stores: sqlite

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient, HttpError } from '@twain/client'
import { openCuttableLibrary } from './open-cuttable-library.ts'
import { promised } from './open-library.ts'

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

  test('a page with shortened texts leaves the cache as it is', async () => {
    const client = open()
    const { id } = await library.book({ title: 'A long title' })
    await client.query(book, { id })
    const cut = await client.rest.get<Book[]>(`/books?id=${id}`, { headers: { prefer: 'cut=6' } })
    assert.equal(cut.data?.[0]?.title, 'A long…')
    const { data } = await client.query<{ book: Book }, { id: string }>(book, { id }, { fetchPolicy: 'cache-only' })
    assert.equal(data?.book.title, 'A long title')
  })

  test('a reversion by either API updates what is watched, and pages of a history are merged', async () => {
    const client = open()
    const { id } = await library.book({ title: 'One' })
    for (const title of ['Two', 'Three']) await library.service.succeed('PATCH', `/books/${id}`, { title })
    let title: string | undefined
    const stop = client.watch<{ book: Book }, { id: string }>(book, { id }).subscribe(({ data }) => {
      title = data?.book.title
    })
    while (title === undefined) await pause(5)
    await client.rest.post(`/books/${id}/reversions`, { version: 1 })
    assert.equal(title, 'One')
    await client.mutate('mutation ($id: ID!) { revertBook(id: $id, version: 2) { id title } }', { id })
    assert.equal(title, 'Two')
    stop()
    const document = `query ($id: ID!, $after: String) {
      book(id: $id) { id _changes(first: 2, after: $after) { edges { node { version } } pageInfo { hasNextPage endCursor } } }
    }`
    interface Changes {
      edges: { node: { version: number } }[]
      pageInfo: { endCursor: string }
    }
    const watch = client.watch<{ book: { _changes: Changes } }>(document, { id })
    const end = watch.subscribe(() => {})
    await watch.refetch()
    await watch.fetchMore({ after: watch.current.data!.book._changes.pageInfo.endCursor })
    assert.deepEqual(
      watch.current.data!.book._changes.edges.map(({ node }) => node.version),
      [5, 4, 3, 2],
    )
    end()
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

  test('a live query shows a change that an earlier response has missed, from the cache or in flight', async (t) => {
    const client = open()
    const [read, changed, following] = [promised(), promised(), promised()]
    // The server reads the rows of the first query, one is changed, and then the client asks where the change log ends.
    const stops: (() => void)[] = []
    t.after(() => {
      library.before = null
      library.behind = null
      for (const stop of stops) stop()
    })
    library.before = (sent) => (sent.url.includes('after=now') ? changed.promise : null)
    let isFirst = false
    library.behind = async (sent) => {
      if (sent.headers.has('last-event-id')) following.resolve()
      if (!sent.body.includes('Missed') || !isFirst) return
      isFirst = false
      read.resolve()
      await following.promise
    }
    const missed = 'query Missed($title: String!) { books(where: {title: {eq: $title}}) { id title pages } }'
    const { id } = await library.book({ title: 'missed', pages: 1 })
    const other = await library.book({ title: 'other', pages: 1 })
    const shows = async (watch: { current: { data: { books: Row[] } | undefined } }, pages: number) => {
      const deadline = performance.now() + 60_000
      while (watch.current.data?.books[0]?.pages !== pages) {
        if (performance.now() > deadline) assert.deepEqual(watch.current.data, { books: [{ pages }] })
        await pause(10)
      }
    }
    type Row = { pages: number }
    await client.query(missed, { title: 'other' })
    await library.service.succeed('PATCH', `/books/${other.id}`, { pages: 2 })
    isFirst = true
    const watch = client.live<{ books: Row[] }, { title: string }>(missed, { title: 'missed' })
    stops.push(watch.subscribe(() => {}))
    await read.promise
    await library.service.succeed('PATCH', `/books/${id}`, { pages: 2 })
    changed.resolve()
    await shows(watch, 2)
    // The change log is followed by now, and says nothing of what was cached before.
    const cached = client.live<{ books: Row[] }, { title: string }>(missed, { title: 'other' })
    stops.push(cached.subscribe(() => {}))
    assert.equal(cached.current.data?.books[0]?.pages, 1)
    await shows(cached, 2)
    // Many live queries of the same rows refresh by one request, and `cached` by another.
    while (library.pending > 0) await pause(5)
    library.sent.length = 0
    const more = Array.from({ length: 20 }, () =>
      client.live<{ books: Row[] }, { title: string }>(missed, { title: 'missed' }),
    )
    stops.push(...more.map((one) => one.subscribe(() => {})))
    while (library.sent.length === 0 || library.pending > 0) await pause(5)
    assert.deepEqual(library.sentOperations(), ['Missed'])
    await library.service.succeed('PATCH', `/books/${id}`, { pages: 3 })
    for (const one of [watch, ...more]) await shows(one, 3)
    while (library.pending > 0) await pause(5)
    assert.deepEqual(library.sentOperations(), ['Missed', 'Missed'])
  })

  test('live aggregates and groups follow their rows, and the rows that their keys and filters go through', async () => {
    const client = open()
    const cy: { id: string } = await library.service.succeed('POST', '/authors', { name: 'Cy' })
    const numbers = `query Numbers($name: String!) {
      ofCy: booksAggregate(where: {author: {name: {eq: $name}}}) { count sum { pages } }
      rare: booksAggregate(where: {title: {startsWith: "rare"}}) { count max { pages } }
      byAuthor: booksGroupBy(by: [{author: {name: VALUE}}], where: {title: {startsWith: "rare"}}) { key { author { name } } count }
    }`
    const watch = client.live(numbers, { name: 'Cy' })
    const stop = watch.subscribe(() => {})
    const shows = async (expected: unknown) => {
      const deadline = performance.now() + 60_000
      const state = () => JSON.stringify(watch.current.data)
      while (state() !== JSON.stringify(expected)) {
        if (performance.now() > deadline) assert.deepEqual(watch.current.data, expected)
        await pause(10)
      }
    }
    const result = (count: number, pages: number, names: string[]) => ({
      ofCy: { count, sum: { pages: count ? String(pages) : null, ...typename('Sum') }, ...typename('') },
      rare: { count: names.length, max: { pages, ...typename('MinMax') }, ...typename('') },
      byAuthor: names.map((name) => ({
        key: { author: { name, __typename: 'AuthorGroupKey' }, __typename: 'BookGroupKey' },
        count: 1,
        __typename: 'BookGroup',
      })),
    })
    const typename = (part: string) => ({ __typename: `BookAggregate${part}` })
    await library.book({ title: 'rare', pages: 100, author: cy.id })
    await shows(result(1, 100, ['Cy']))
    await library.service.succeed('PATCH', `/authors/${cy.id}`, { name: 'Cyd' })
    await shows(result(0, 100, ['Cyd']))
    await library.service.succeed('PATCH', `/authors/${cy.id}`, { name: 'Cy' })
    await shows(result(1, 100, ['Cy']))
    stop()
    // The result is cached under its arguments.
    library.sent.length = 0
    const cached = await client.query<object, { name: string }>(numbers, { name: 'Cy' })
    assert.deepEqual([cached.data, library.sent.length], [result(1, 100, ['Cy']), 0])
    await client.query<object, { name: string }>(numbers, { name: 'Dee' })
    assert.equal(library.sentOperations().join(), 'Numbers')
  })

  test('a row that a key finds is the row with its id, also when it is changed and deleted by the key', async () => {
    const client = open()
    const { id } = await library.book({ title: 'By key', isbn: '978' })
    const query = 'query ($isbn: String!) { bookBy(key: {isbn: $isbn}) { id title } }'
    const watch = client.watch<{ bookBy: Book | null }, { isbn: string }>(query, { isbn: '978' })
    const stop = watch.subscribe(() => {})
    await watch.refetch()
    assert.equal(watch.current.data?.bookBy?.id, id)
    await client.mutate('mutation { updateBookBy(key: {isbn: "978"}, title: "Renamed") { id title } }')
    assert.equal(watch.current.data?.bookBy?.title, 'Renamed')
    await client.mutate('mutation { deleteBookBy(key: {isbn: "978"}) { id } }')
    assert.equal(watch.current.data?.bookBy, null)
    stop()
  })
})
