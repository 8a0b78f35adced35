// The client against a real server: what it sends, and how it handles answers, errors and lost connections.
// stores: sqlite

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { createClient, GraphQLErrors, HttpError, NetworkError } from '@twain/client'
import { Library, promised } from './open-library.ts'

interface Book {
  id: string
  title: string
  secret?: string | null
}

const books = 'query Books { books(orderBy: [{title: ASC}]) { id title } }'
const book = 'query Book($id: ID!) { book(id: $id) { id title } }'
const rename = 'mutation Rename($id: ID!, $title: String!) { updateBook(id: $id, title: $title) { id title } }'
const create = 'mutation Create($title: String!) { createBook(input: {title: $title}) { id title } }'
const fast = { attempts: 3, pause: 1 }

describe('the client', () => {
  let library: Library
  let emma: { id: string }
  before(async () => {
    library = await Library.open()
    emma = await library.book({ title: 'Emma', secret: 'hidden' })
  })
  after(() => library.close())
  beforeEach(() => {
    library.before = null
    library.behind = null
    library.sent.length = 0
  })
  const open = (more = {}) => createClient({ url: library.url, fetch: library.fetch, retry: fast, ...more })

  test('sends a query once, and then answers from the cache', async () => {
    const client = open()
    const first = await client.query<{ books: Book[] }>(books)
    assert.deepEqual(
      first.data?.books.map(({ title }) => title),
      ['Emma'],
    )
    const again = await client.query(books)
    assert.equal(again.data, first.data)
    assert.deepEqual(library.sentOperations(), ['Books'])
  })

  test('updates earlier queries with the result of a mutation', async () => {
    const client = open()
    const { id } = await library.book({ title: 'Persuasion' })
    await client.query(books)
    await client.mutate(rename, { id, title: 'Zz' })
    const { data } = await client.query<{ books: Book[] }>(books)
    assert.deepEqual(
      data?.books.map(({ title }) => title),
      ['Emma', 'Zz'],
    )
    // A delete removes the row from earlier queries.
    await client.mutate('mutation Delete($id: ID!) { deleteBook(id: $id) { success } }', { id })
    const left = await client.query<{ books: Book[] }>(books)
    assert.deepEqual(
      left.data?.books.map(({ title }) => title),
      ['Emma'],
    )
    assert.deepEqual(library.sentOperations(), ['Books', 'Rename', 'Delete'])
  })

  test('sends concurrent equal queries once, whatever the order of their variables', async () => {
    const client = open()
    const text = 'query Two($a: Int!, $b: Int!) { books(limit: $a, offset: $b) { id } }'
    const answers = await Promise.all([
      client.query(text, { a: 5, b: 0 }, { fetchPolicy: 'network-only' }),
      client.query(text, { b: 0, a: 5 }, { fetchPolicy: 'no-cache' }),
      client.query(text, { a: 6, b: 0 }),
    ])
    assert.deepEqual(answers[0].data, answers[1].data)
    assert.deepEqual(library.sentOperations(), ['Two', 'Two'])
  })

  test('batches queries of 10 ms; one that fails does not affect the others', async () => {
    const client = open({ batch: true })
    const [list, wrong, made] = await Promise.allSettled([
      client.query(books),
      client.query('query Wrong { nothing }'),
      client.mutate(create, { title: 'Batched' }),
    ])
    assert.deepEqual([list.status, wrong.status, made.status], ['fulfilled', 'rejected', 'fulfilled'])
    assert.ok(wrong.status === 'rejected' && wrong.reason instanceof GraphQLErrors)
    assert.equal(library.sent.length, 1)
    assert.equal(JSON.parse(library.sent[0]!.body).length, 3)
  })

  test('sends no batch larger than the server allows, and resends the parts of a refused batch one by one', async () => {
    const client = open({ batch: { max: 10 } })
    await Promise.all(
      Array.from({ length: 25 }, (_, n) => client.query(`query B${n} { books(limit: ${n + 1}) { id } }`)),
    )
    assert.deepEqual(
      library.sent.map(({ body }) => JSON.parse(body).length ?? 1),
      [10, 10, 5],
    )
    library.sent.length = 0
    const greedy = open({ batch: { max: 12 } })
    const all = Array.from({ length: 12 }, (_, n) => greedy.query(`query C${n} { books(limit: ${n + 1}) { id } }`))
    await Promise.all(all)
    assert.equal(library.sent.length, 13)
  })

  test('distinguishes GraphQL errors, HTTP errors and lost connections', async () => {
    const client = open({ retry: { attempts: 1 } })
    await assert.rejects(client.mutate(create, { title: 'x'.repeat(50) }), (error) => {
      assert.ok(error instanceof GraphQLErrors)
      assert.equal(error.errors[0]?.extensions?.code, 'VALIDATION_FAILED')
      return true
    })
    // A 400 with a GraphQL body is a GraphQL error.
    await assert.rejects(client.query('query Wrong { nothing }'), GraphQLErrors)
    await assert.rejects(createClient({ url: `${library.service.address}/nowhere` }).query(books), (error) => {
      assert.ok(error instanceof HttpError)
      assert.equal(error.status, 404)
      assert.equal(error.problem?.code, 'NOT_FOUND')
      return true
    })
    library.before = () => new Response('<html>busy</html>', { status: 502 })
    await assert.rejects(client.query(book, { id: 'none' }), (error) => {
      assert.ok(error instanceof HttpError)
      assert.deepEqual([error.status, error.problem, error.body], [502, null, '<html>busy</html>'])
      return true
    })
    library.before = () => new Response('not json', { status: 200 })
    await assert.rejects(client.query(book, { id: 'none' }), HttpError)
    library.before = () => assert.fail('cut')
    await assert.rejects(client.query(book, { id: 'none' }), NetworkError)
  })

  test('returns partial data by the error policy, and never caches a failed field as null', async () => {
    const client = open()
    const secrets = 'query Secrets { books(where: {title: {eq: "Emma"}}) { id title secret } }'
    await assert.rejects(client.query(secrets), GraphQLErrors)
    assert.equal(client.cache.read(secrets), undefined)
    const all = await client.query<{ books: Book[] }>(secrets, {}, { errorPolicy: 'all' })
    assert.equal(all.data?.books[0]?.secret, null)
    assert.ok(all.error instanceof GraphQLErrors)
    const ignored = await client.query<{ books: Book[] }>(secrets, {}, { errorPolicy: 'ignore' })
    assert.deepEqual([ignored.data?.books[0]?.title, ignored.error], ['Emma', undefined])
    // Each of the three sent a request, since the secret is not in the cache.
    assert.deepEqual(library.sentOperations(), ['Secrets', 'Secrets', 'Secrets'])
    assert.equal(
      client.cache.read<{ books: Book[] }>('{ books(where: {title: {eq: "Emma"}}) { title } }')?.books.length,
      1,
    )
  })

  test('reports a lost connection by the error policy; ignored errors go to onError', async () => {
    const errors: unknown[] = []
    const client = open({ onError: (error: unknown) => errors.push(error) })
    library.before = () => assert.fail('cut')
    const all = await client.query(books, {}, { errorPolicy: 'all' })
    assert.deepEqual([all.data, all.error?.name], [undefined, 'NetworkError'])
    assert.deepEqual(errors, [])
    assert.deepEqual(await client.query(books, {}, { errorPolicy: 'ignore' }), { data: undefined })
    assert.equal((errors as Error[])[0]?.name, 'NetworkError')
  })

  test('retries requests that are safe to repeat: a mutation whose answer was lost has one effect', async () => {
    const client = open()
    let lost = 0
    library.behind = () => {
      if (lost++ < 2) throw new Error('the answer was lost')
    }
    const { data } = await client.mutate<{ createBook: Book }>(create, { title: 'Once' })
    assert.equal(library.sent.length, 3)
    const keys = new Set(library.sent.map(({ headers }) => headers.get('idempotency-key')))
    assert.equal(keys.size, 1)
    const { data: found } = await client.query<{ books: Book[] }>(
      'query Once { books(where: {title: {eq: "Once"}}) { id } }',
    )
    assert.deepEqual(
      found?.books.map(({ id }) => id),
      [data?.createBook.id],
    )
    // Without a key it is sent once.
    lost = 0
    library.sent.length = 0
    await assert.rejects(open({ idempotency: false }).mutate(create, { title: 'Unsure' }), NetworkError)
    assert.equal(library.sent.length, 1)
    // Batches carry a key for each operation.
    lost = 0
    const made = await Promise.all(
      ['Twice a', 'Twice b'].map((title) => open({ batch: true }).mutate<{ createBook: Book }>(create, { title })),
    )
    const counted = await client.query<{ books: Book[] }>(
      'query Twice { books(where: {title: {startsWith: "Twice"}}) { id } }',
    )
    assert.deepEqual(counted.data?.books.map(({ id }) => id).sort(), made.map(({ data }) => data?.createBook.id).sort())
  })

  test('waits as long as Retry-After says', async () => {
    const client = open()
    let answers = 0
    library.before = () => (answers++ === 0 ? new Response('', { status: 503, headers: { 'retry-after': '1' } }) : null)
    const start = performance.now()
    await client.query(books)
    assert.ok(performance.now() - start >= 990)
    assert.equal(answers, 2)
  })

  test('stops when its caller aborts or the timeout passes; other callers still get the answer', async () => {
    const client = open({ retry: { attempts: 1 } })
    const gate = promised()
    library.before = () => gate.promise
    const controller = new AbortController()
    const aborted = client.query(books, {}, { signal: controller.signal, errorPolicy: 'all' })
    const unaborted = client.query<{ books: Book[] }>(books)
    controller.abort(new Error('enough'))
    await assert.rejects(aborted, /enough/)
    gate.resolve()
    assert.ok((await unaborted).data)
    assert.deepEqual(library.sentOperations(), ['Books'])

    const impatient = open({ timeout: 30, retry: { attempts: 1 }, fetch: slow })
    await assert.rejects(impatient.query(books), (error) => {
      assert.ok(error instanceof NetworkError)
      assert.equal((error.cause as Error).name, 'TimeoutError')
      return true
    })
  })

  test('gets a new token once for all waiting requests, and resends them', async () => {
    let token = 'old'
    let refreshed = 0
    library.before = ({ headers }) =>
      headers.get('authorization') === 'new' ? null : new Response('', { status: 401 })
    const client = createClient({
      url: library.url,
      // The server knows no such tokens, so none is sent to it.
      fetch: (url, init) => library.fetch(url, init),
      authorization: () => token,
      refresh: async () => {
        refreshed++
        await new Promise((resolve) => setTimeout(resolve, 5))
        token = 'new'
      },
      headers: { 'x-own': 'yes' },
    })
    library.behind = null
    const real = library.before
    library.before = async (sent) => {
      const refused = await real(sent)
      if (refused !== null) return refused
      sent.headers.delete('authorization')
      return fetch(sent.url, { method: 'POST', headers: sent.headers, body: sent.body })
    }
    await Promise.all([
      client.query(books),
      client.query(book, { id: emma.id }),
      client.query('query T { __typename }'),
    ])
    assert.equal(refreshed, 1)
    assert.equal(library.sent.length, 6)
    assert.ok(library.sent.every(({ headers }) => headers.get('x-own') === 'yes'))
  })

  test('shows an optimistic write at once, and rolls it back when it fails', async () => {
    const client = open({ retry: { attempts: 1 } })
    const { data } = await client.query<{ book: Book }>(book, { id: emma.id })
    const titles: (string | undefined)[] = []
    const stop = client
      .watch<{ book: Book }, { id: string }>(book, { id: emma.id })
      .subscribe(({ data }) => titles.push(data?.book.title))
    const optimistic = { updateBook: { ...data!.book, title: 'Emma?' } }
    await client.mutate<{ updateBook: Book }>(rename, { id: emma.id, title: 'Emma!' }, { optimistic })
    library.before = () => assert.fail('cut')
    await assert.rejects(client.mutate<{ updateBook: Book }>(rename, { id: emma.id, title: 'Emma!!' }, { optimistic }))
    assert.deepEqual(titles, ['Emma', 'Emma?', 'Emma!', 'Emma?', 'Emma!'])
    library.before = null
    await client.mutate(rename, { id: emma.id, title: 'Emma' })
    stop()
  })

  test('keeps the newer answer when an older request is answered after it', async () => {
    const client = open()
    const gate = promised()
    let first = true
    // The answer is delayed, not the request: it has the older data.
    library.behind = () => {
      if (!first) return null
      first = false
      return gate.promise
    }
    const early = client.query(book, { id: emma.id }, { fetchPolicy: 'network-only' })
    while (first) await new Promise((resolve) => setTimeout(resolve, 1))
    await client.mutate(rename, { id: emma.id, title: 'Emma, later' })
    gate.resolve()
    await early
    assert.equal(client.cache.read<{ book: Book }, { id: string }>(book, { id: emma.id })?.book.title, 'Emma, later')
    await client.mutate(rename, { id: emma.id, title: 'Emma' })
  })

  test('refuses a document of another kind, or with several operations', async () => {
    const client = open()
    await assert.rejects(client.query(rename), /The document is a mutation, where a query is expected/)
    await assert.rejects(client.query('query A { a } query B { b }'), /this one has 2/)
    await assert.rejects(client.query('{ a'), SyntaxError)
  })
})

/** Never answers, but reacts to its abort signal. */
const slow = (_: string, { signal }: RequestInit): Promise<Response> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
