// Subscriptions with popular clients: Apollo Client and urql over the client of graphql-ws, and that client alone, which reconnects by
// itself when the server loads another schema.
// stores: sqlite

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { ApolloClient, gql, InMemoryCache } from '@apollo/client'
import { GraphQLWsLink } from '@apollo/client/link/subscriptions'
import { cacheExchange, subscriptionExchange, Client as UrqlClient } from '@urql/core'
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { TestService } from '../harness/test-service.ts'

const sdl = (more = '') =>
  `type Shelf { id: ID! name: String! books: [Book!]! ${more} } type Book { id: ID! title: String! shelf: Shelf }`
const live = 'subscription ($shelf: ID) { bookCreated(shelf: $shelf) { id title shelf { name } } }'
const all = 'subscription ($after: String) { bookChanged(after: $after) { kind book { title } } }'

const trial = 'ready?'

/** Received events, without those of the trial writes. */
class ReceivedEvents {
  readonly titles: string[] = []
  isReady = false

  take(title: string): void {
    if (title.startsWith(trial)) this.isReady = true
    else this.titles.push(title)
  }
}

interface NoteEvent {
  bookCreated: { title: string; shelf: { name: string } | null }
}

describe('subscriptions of real clients', () => {
  const ends: (() => unknown)[] = []
  let service: TestService
  let shelf: string
  before(async () => {
    service = await TestService.open({ after: (end) => void ends.push(end as () => unknown) }, sdl())
    ;({ id: shelf } = await service.succeed('POST', '/shelves', { name: 'top' }))
  })
  after(async () => {
    for (const end of ends) await end()
  })

  const connect = () => {
    const url = `${service.address.replace('http', 'ws')}/graphql`
    const client = createClient({
      url,
      webSocketImpl: WebSocket,
      retryWait: () => pause(50),
      retryAttempts: 200,
    })
    ends.unshift(() => client.dispose())
    return client
  }

  async function until(received: readonly unknown[], count: number): Promise<void> {
    for (let tries = 0; received.length < count && tries < 2000; tries++) await pause(10)
    assert.equal(received.length, count)
  }

  /** Writes until an event comes, which shows that the subscription is active. */
  async function ready(received: ReceivedEvents): Promise<void> {
    while (!received.isReady) {
      await service.succeed('POST', '/books', { title: trial, shelf })
      await pause(50)
    }
  }

  test('Apollo Client 4 subscribes through GraphQLWsLink, and writes events to its cache', async () => {
    const client = new ApolloClient({ link: new GraphQLWsLink(connect()), cache: new InMemoryCache() })
    const received = new ReceivedEvents()
    const subscription = client
      .subscribe<NoteEvent>({ query: gql(live), variables: { shelf } })
      .subscribe(({ data }) => void received.take(`${data!.bookCreated.title} on ${data!.bookCreated.shelf?.name}`))
    await ready(received)
    const { id } = await service.succeed('POST', '/books', { title: 'Emma', shelf })
    await service.succeed('POST', '/books', { title: 'elsewhere' })
    await service.succeed('POST', '/books', { title: 'Persuasion', shelf })
    await until(received.titles, 2)
    assert.deepEqual(received.titles, ['Emma on top', 'Persuasion on top'])
    const fragment = gql('fragment Title on Book { title }')
    assert.equal(client.readFragment<{ title: string }>({ id: `Book:${id}`, fragment })?.title, 'Emma')
    subscription.unsubscribe()

    const wrong = await new Promise<{ message: string; errors: readonly { extensions?: Record<string, unknown> }[] }>(
      (resolve) => {
        client
          .subscribe({ query: gql('subscription { nothing { id } }') })
          .subscribe(({ error }) => resolve(error as never))
      },
    )
    assert.equal(wrong.errors[0]?.extensions?.code, 'GRAPHQL_VALIDATION_FAILED')
    client.stop()
  })

  test('urql subscribes through its exchange', async () => {
    const socket = connect()
    const client = new UrqlClient({
      url: `${service.address}/graphql`,
      preferGetMethod: false,
      exchanges: [
        cacheExchange,
        subscriptionExchange({
          forwardSubscription: ({ query, variables }) => ({
            subscribe: (sink) => ({
              unsubscribe: socket.subscribe({ query: query ?? '', variables: { ...variables } }, sink as never),
            }),
          }),
        }),
      ],
    })
    const received = new ReceivedEvents()
    const { unsubscribe } = client
      .subscription<NoteEvent>(live, { shelf })
      .subscribe(({ data }) => void (data && received.take(data.bookCreated.title)))
    await ready(received)
    for (const title of ['one', 'two', 'three']) await service.succeed('POST', '/books', { title, shelf })
    await until(received.titles, 3)
    assert.deepEqual(received.titles, ['one', 'two', 'three'])
    unsubscribe()
  })

  test('graphql-ws, used as docs/reference/events.md shows, resumes when the server loads another schema', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/reference/events.md'), 'utf8')
    const [, example] = /^```js\n([\s\S]*?)^```$/m.exec(page)!
    const received = new ReceivedEvents()
    const show = (data: { bookChanged: { book: { title: string } } }) => received.take(data.bookChanged.book.title)
    const run = new Function('client', 'query', 'channel', 'show', `${example}\nreturn stop`)
    const stop = run(connect(), all, shelf, show) as () => void
    await ready(received)
    await service.succeed('POST', '/books', { title: 'before' })
    await until(received.titles, 1)
    writeFileSync(service.schemaFile, sdl('place: String'))
    assert.equal((await service.service.reload()).kind, 'swapped')
    for (const title of ['while', 'it', 'was', 'away']) await service.succeed('POST', '/books', { title })
    await until(received.titles, 5)
    assert.deepEqual(received.titles, ['before', 'while', 'it', 'was', 'away'])
    stop()
  })
})
