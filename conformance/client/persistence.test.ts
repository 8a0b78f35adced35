// What the client stores across page visits: its cache, and the mutations that wait for the server.
// stores: sqlite

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient, GraphQLErrors, type Storage } from '@twain/client'
import { extract, file, persist, restore } from '@twain/client/persist'
import { CuttableConnection } from './cuttable-connection.ts'
import { Library } from './open-library.ts'

interface Book {
  id: string
  title: string
}

const create = 'mutation Create($title: String!) { createBook(input: {title: $title}) { id title } }'
const pages = `query Pages($after: String) {
  booksConnection(first: 2, after: $after, orderBy: [{title: ASC}]) {
    edges { cursor node { id title about { text } author { name } } } pageInfo { hasNextPage endCursor }
  }
}`

describe('persistence of the client', () => {
  let library: Library
  let connection: CuttableConnection
  let folder: string
  before(async () => {
    library = await Library.open()
    connection = await CuttableConnection.open(library.service.address)
    folder = await mkdtemp(join(tmpdir(), 'twain-client-'))
    for (const title of ['a', 'b', 'c']) await library.book({ title, about: { text: title } })
  })
  after(async () => {
    await connection.close()
    await library.close()
    await rm(folder, { recursive: true })
  })

  test('a cache is sent from a server to a browser as JSON, and answers there without a request', async () => {
    const server = createClient({ url: library.url })
    const { data: first } = await server.query<{ booksConnection: { pageInfo: { endCursor: string } } }>(pages)
    const { data: second } = await server.query(pages, { after: first!.booksConnection.pageInfo.endCursor })
    await server.query('query J { books(where: {title: {in: ["a"]}}) { id about { text words } } }')
    const browser = createClient({ url: 'http://127.0.0.1:9/graphql' })
    restore(browser, JSON.parse(JSON.stringify(extract(server))))
    assert.deepEqual((await browser.query(pages)).data, first)
    assert.deepEqual((await browser.query(pages, { after: first!.booksConnection.pageInfo.endCursor })).data, second)
    assert.deepEqual(extract(browser), extract(server))
  })

  test('a cache is stored in a file, and is loaded at the next start', async () => {
    const storage = file(join(folder, 'cache.json'))
    const client = createClient({ url: library.url })
    const end = await persist(client, storage, { pause: 5 })
    const { data } = await client.query(pages)
    await end()
    const next = createClient({ url: 'http://127.0.0.1:9/graphql' })
    const endNext = await persist(next, storage)
    assert.deepEqual((await next.query(pages)).data, data)
    await endNext()
  })

  test('offline mutations are sent in order and once, also after a restart', async () => {
    const queueStorage = memory()
    const open = () =>
      createClient({
        url: `${connection.address}/graphql`,
        offline: queueStorage,
        retry: { attempts: 1 },
        onError() {},
      })
    const client = open()
    connection.cut()
    const titles = Array.from({ length: 5 }, (_, n) => `off ${n}`)
    const made = titles.map((title) => client.mutate<{ createBook: Book }>(create, { title }))
    const refused = client.mutate(create, { title: 'x'.repeat(50) })
    refused.catch(() => {})
    while (JSON.parse((await queueStorage.get()) ?? '[]').length < 6) await pause(5)
    assert.equal(await client.pending(), 6)
    connection.mend()
    assert.deepEqual(
      (await Promise.all(made)).map(({ data }) => data?.createBook.title),
      titles,
    )
    // A refused mutation is answered: it does not block the others.
    await assert.rejects(refused, GraphQLErrors)
    assert.equal(await queueStorage.get(), '[]')

    connection.cut()
    for (const title of ['off 5', 'off 6']) client.mutate(create, { title }).catch(() => {})
    while (JSON.parse((await queueStorage.get()) ?? '[]').length < 2) await pause(5)
    // As if the page was closed and another opened: both send the waiting mutation, and it has one effect.
    const next = open()
    assert.equal(await next.pending(), 2)
    connection.mend()
    const written = 'query Off { books(where: {title: {startsWith: "off"}}, limit: 50) { title } }'
    const reader = createClient({ url: library.url })
    const now = async () => {
      const { data } = await reader.query<{ books: Book[] }>(written, {}, { fetchPolicy: 'network-only' })
      return data!.books.map(({ title }) => title).sort()
    }
    while ((await next.pending()) > 0 || (await client.pending()) > 0) await pause(10)
    assert.deepEqual(await now(), [...titles, 'off 5', 'off 6'])
  })

  test('new rows are inserted into cached lists as their type configures', async () => {
    const joins = { Book: (_: unknown, { field }: { field: string }) => (field === 'books' ? ('end' as const) : null) }
    const client = createClient({ url: library.url, cache: { joins } })
    const list = 'query Join { books(where: {title: {startsWith: "join"}}) { id title } }'
    const states: string[] = []
    const stop = client.watch<{ books: Book[] }>(list).subscribe(({ data }) => {
      if (data) states.push(data.books.map(({ title }) => title).join())
    })
    while (states.length === 0) await pause(5)
    await client.mutate<{ createBook: Book }>(create, { title: 'join 1' })
    const optimistic = { createBook: { __typename: 'Book', id: 'new', title: 'join?' } }
    await client.mutate<{ createBook: Book }>(create, { title: 'join 2' }, { optimistic })
    assert.deepEqual(states, ['', 'join 1', 'join 1,join?', 'join 1,join 2'])
    stop()
  })
})

function memory(): Storage {
  let text: string | null = null
  return {
    get: async () => text,
    set: async (next) => {
      text = next
    },
  }
}
