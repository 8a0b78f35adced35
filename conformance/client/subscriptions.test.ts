// Subscriptions over connections that are cut: every event comes once, in order.
// stores: sqlite

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient, GraphQLErrors } from '@twain/client'
import { openCuttableLibrary } from './open-cuttable-library.ts'

interface Book {
  id: string
  title: string
}

const created =
  'subscription Created($start: String) { bookCreated(where: {title: {startsWith: $start}}) { id title } }'

const { library, connection } = await openCuttableLibrary()

describe('subscriptions of the client', () => {
  const open = () => createClient({ url: `${connection.address}/graphql`, retry: { attempts: 1 } })
  const titles = (start: string, from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => `${start}${String(from + n).padStart(3, '0')}`)
  const make = async (all: string[]) => {
    for (const title of all) await library.book({ title })
  }

  /** Creates books until an event of one comes, which shows that the subscription is active; then waits for the events of all. */
  const standing = async (received: unknown[], start: string) => {
    let made = 0
    while (received.length === 0) {
      await make([`${start}${String(++made)}`])
      await pause(20)
    }
    let before = 0
    while (before !== received.length) {
      before = received.length
      await make([`${start}${String(++made)}`])
      await until(() => received.length > before)
      before++
    }
  }

  test('deliver every event once and in order, however often the connection is cut', async () => {
    const client = open()
    const received: (string | undefined)[] = []
    const stop = client.subscribe<{ bookCreated: Book }>(created, { start: 'a' }, ({ data }) =>
      received.push(data?.bookCreated.title),
    )
    await standing(received, 'a-')
    received.length = 0
    for (let round = 0; round < 4; round++) {
      await make(titles('a', round * 6, round * 6 + 3))
      connection.cut()
      await make(titles('a', round * 6 + 3, round * 6 + 6))
      connection.mend()
      await until(() => received.length >= (round + 1) * 6)
    }
    assert.deepEqual(received, titles('a', 0, 24))
    stop()
    await make(['a-end'])
    assert.equal(received.length, 24)
    client.close()
  })

  test('miss no event from their start, also before their first event and on an open connection', async () => {
    let looked = 0
    const client = createClient({
      url: `${connection.address}/graphql`,
      retry: { attempts: 1 },
      fetch: async (url, init) => {
        const reply = await fetch(url, init)
        looked++
        return reply
      },
    })
    const first: unknown[] = []
    const late: (string | undefined)[] = []
    client.subscribe(created, { start: 'b' }, ({ data }) => first.push(data))
    await standing(first, 'b')
    await make(['late before'])
    client.subscribe<{ bookCreated: Book }>(created, { start: 'late' }, ({ data }) =>
      late.push(data?.bookCreated.title),
    )
    await until(() => looked > 0)
    await pause(20)
    connection.cut()
    await make(['late after'])
    connection.mend()
    await until(() => late.length > 0)
    assert.deepEqual(late, ['late after'])
    client.close()
  })

  test('resume at their cursor, however the document gives its start', async () => {
    const cursor: string = (await library.service.succeed('GET', '/changes?after=now&first=0')).pageInfo.endCursor
    await make(['here 0'])
    const documents: [text: string, variables: object][] = [
      ['subscription { bookCreated { title } }', {}],
      ['subscription { created: bookCreated(where: {title: {startsWith: "here"}}) { title } }', {}],
      [
        `subscription { bookCreated(after: ${JSON.stringify(cursor)}, where: {}) { ...T } } fragment T on Book { title }`,
        {},
      ],
      [
        'fragment T on Book { title } subscription Named($a: String) { bookCreated(after: $a) { ...T } }',
        { a: cursor },
      ],
    ]
    const client = open()
    const received = documents.map((): string[] => [])
    for (const [n, [text, variables]] of documents.entries())
      client.subscribe<Record<string, Book>, object>(text, variables, ({ data }) => {
        received[n]!.push(Object.values(data!)[0]!.title)
      })
    const last = () => received.every((titles) => titles.at(-1)?.startsWith('here') === true)
    for (let n = 1; n < 1000 && !last(); n++) {
      await make([`here ${n}`])
      await pause(30)
    }
    connection.cut()
    await make(['here x', 'here y'])
    connection.mend()
    await until(() => received.every((titles) => titles.includes('here y')))
    for (const [n, titles] of received.entries()) {
      assert.deepEqual(titles.slice(-2), ['here x', 'here y'])
      assert.equal(new Set(titles).size, titles.length)
      assert.equal(titles[0] === 'here 0', n > 1)
    }
    client.close()
  })

  test('write their events into the cache, deletes too, unless that is switched off', async () => {
    const client = open()
    const { id } = await library.book({ title: 'cached' })
    const list = 'query List { books(where: {title: {startsWith: "cached"}}) { id title } }'
    await client.query(list)
    const seen: unknown[] = []
    const silent: unknown[] = []
    const changed = 'subscription Changed($id: ID!) { bookChanged(id: $id) { kind id book { id title } } }'
    client.subscribe(changed, { id }, ({ data }) => seen.push(data))
    client.subscribe(
      'subscription U($id: ID!) { bookUpdated(id: $id) { id title pages } }',
      { id },
      ({ data }) => silent.push(data),
      {
        fetchPolicy: 'no-cache',
      },
    )
    let pages = 0
    await until(async () => {
      await library.service.succeed('PATCH', `/books/${id}`, { pages: ++pages })
      return seen.length > 0 && silent.length > 0
    })
    assert.equal(
      client.cache.read('query Pages { books(where: {title: {startsWith: "cached"}}) { pages } }'),
      undefined,
    )
    await library.service.succeed('PATCH', `/books/${id}`, { title: 'cached anew' })
    const now = () => client.cache.read<{ books: Book[] }>(list)?.books.map(({ title }) => title)
    await until(() => now()?.[0] === 'cached anew')
    await library.service.send('DELETE', `/books/${id}`)
    await until(() => now()?.length === 0)
    client.close()
  })

  test('end with an error when they are refused, and when missed events have expired', async () => {
    const client = open()
    const refused = await new Promise<Error>((resolve) =>
      client.subscribe('subscription Wrong { nothing }', {}, { next() {}, error: resolve }),
    )
    assert.ok(refused instanceof GraphQLErrors)
    const tampered = await new Promise<Error>((resolve) =>
      client.subscribe('subscription Old { bookCreated(after: "nonsense") { id } }', {}, { next() {}, error: resolve }),
    )
    assert.ok(tampered instanceof GraphQLErrors)
    assert.equal(tampered.errors[0]?.extensions?.code, 'VALIDATION_FAILED')
  })
})

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!(await isTrue())) {
    if (performance.now() > deadline) assert.fail('it did not come to that within a minute')
    await pause(20)
  }
}
