// Situations in which fetch policies and error policies decide. Each is described once and runs through our client and Apollo's.
// The result is the same, unless it is listed here with both outcomes and the reason.

import type { Driver, Policy } from './drivers.ts'
import type { Library } from './open-library.ts'

export interface SituationStage {
  driver: Driver
  library: Library
  /** A new book for each run. */
  book: { id: string; title: string }
  /** Waits until no request is in flight and all watchers are notified. */
  rest(): Promise<void>
  /** The operations that were sent since the last call. */
  sentOperations(): string[]
}

export interface Situation {
  title: string
  play(fixture: SituationStage): Promise<unknown>
  /** Why our result differs from Apollo's. */
  differs?: string | undefined
}

const book = 'query Book($id: ID!) { book(id: $id) { id title } }'
const withPages = 'query Pages($id: ID!) { book(id: $id) { id title pages } }'
const withSecret = 'query Secret($id: ID!) { book(id: $id) { id title secret } }'
const rename = 'mutation Rename($id: ID!, $title: String!) { updateBook(id: $id, title: $title) { id title } }'
const remove = 'mutation Remove($id: ID!) { deleteBook(id: $id) { success } }'
const cut = () => {
  throw new Error('cut')
}
const policies = ['cache-first', 'cache-only', 'network-only', 'no-cache', 'cache-and-network'] as const
const errorPolicies = ['none', 'all', 'ignore'] as const

/** The same situation with each policy. */
const forEach = <T extends string>(all: readonly T[], make: (one: T) => Situation): Situation[] => all.map(make)

export const situations: Situation[] = [
  ...forEach(policies, (fetchPolicy) => ({
    title: `query ${fetchPolicy}: nothing is cached`,
    play: async ({ driver, book: { id }, sentOperations }) => [
      await driver.query(book, { id }, { fetchPolicy }),
      sentOperations(),
    ],
  })),
  ...forEach(policies, (fetchPolicy) => ({
    title: `query ${fetchPolicy}: all is cached, and the server knows better`,
    async play({ driver, library, book: { id }, sentOperations }) {
      await driver.query(book, { id })
      await library.service.succeed('PATCH', `/books/${id}`, { title: 'changed' })
      return [await driver.query(book, { id }, { fetchPolicy }), await driver.query(book, { id }), sentOperations()]
    },
  })),
  ...forEach(policies, (fetchPolicy) => ({
    title: `query ${fetchPolicy}: a part is cached, and the rest is requested`,
    async play({ driver, book: { id }, sentOperations }) {
      await driver.query(book, { id })
      const first = await driver.query(withPages, { id }, { fetchPolicy })
      return [first, await driver.query(withPages, { id }), sentOperations()]
    },
  })),
  ...forEach(errorPolicies, (errorPolicy) => ({
    title: `query with a field that fails, ${errorPolicy}`,
    play: async ({ driver, book: { id }, sentOperations }) => [
      await driver.query(withSecret, { id }, { errorPolicy }),
      sentOperations(),
    ],
  })),
  ...forEach(errorPolicies, (errorPolicy) => ({
    title: `query with a field that failed before, ${errorPolicy}: what is cached of it`,
    differs:
      errorPolicy === 'none' ? undefined : 'Apollo caches the null as a value. This client requests the field again.',
    async play({ driver, book: { id }, sentOperations }) {
      await driver.query(withSecret, { id }, { errorPolicy })
      return [
        await driver.query(book, { id }, { fetchPolicy: 'cache-only' }),
        await driver.query(withSecret, { id }, { fetchPolicy: 'cache-only' }),
        sentOperations(),
      ]
    },
  })),
  ...forEach(errorPolicies, (errorPolicy) => ({
    title: `query over a broken connection, ${errorPolicy}`,
    async play({ driver, library, book: { id } }) {
      library.before = cut
      return driver.query(book, { id }, { errorPolicy })
    },
  })),
  ...forEach(errorPolicies, (errorPolicy) => ({
    title: `query cache-and-network, ${errorPolicy}: the connection is broken, something is cached`,
    differs: 'Apollo drops the cached data. This client returns it, with the error.',
    async play({ driver, library, book: { id } }) {
      await driver.query(book, { id })
      library.before = cut
      return driver.query(book, { id }, { fetchPolicy: 'cache-and-network', errorPolicy })
    },
  })),
  {
    title: 'query that the server refuses with 400 and a GraphQL body',
    play: ({ driver }) => driver.query('query Wrong { nothing }'),
  },
  {
    title: 'query answered by a proxy, with 502 and a page',
    async play({ driver, library, book: { id } }) {
      library.before = () => new Response('<html>', { status: 502 })
      return driver.query(book, { id })
    },
  },
  {
    title: 'query answered with 200 and no JSON',
    async play({ driver, library, book: { id } }) {
      library.before = () => new Response('<html>', { status: 200, headers: { 'content-type': 'application/json' } })
      return driver.query(book, { id })
    },
  },
  {
    title: 'the same query three times at once, its variables in another order',
    async play({ driver, sentOperations }) {
      const text = 'query Two($a: Int!, $b: Int!) { books(limit: $a, offset: $b) { __typename } }'
      const all = [
        { a: 1, b: 0 },
        { b: 0, a: 1 },
        { a: 1, b: 0 },
      ].map((variables) => driver.query(text, variables))
      return [await Promise.all(all), sentOperations()]
    },
  },
  {
    title: 'the same mutation twice at once',
    async play({ driver, book: { id }, sentOperations }) {
      const all = [1, 2].map(() => driver.mutate(rename, { id, title: 'same' }))
      return [await Promise.all(all), sentOperations()]
    },
  },
  ...forEach(policies, (fetchPolicy) => ({
    title: `watch ${fetchPolicy}: nothing is cached; then another query, then a mutation changes the row`,
    async play({ driver, library, book: { id }, rest, sentOperations }) {
      const { states, stop } = driver.watch(book, { id }, { fetchPolicy })
      await rest()
      await library.service.succeed('PATCH', `/books/${id}`, { title: 'by others' })
      await driver.query(withPages, { id }, { fetchPolicy: 'network-only' })
      await rest()
      await driver.query(book, { id }, { fetchPolicy: 'network-only' })
      await rest()
      await driver.mutate(rename, { id, title: 'by me' })
      await rest()
      stop()
      await driver.mutate(rename, { id, title: 'unseen' })
      return [states, sentOperations()]
    },
  })),
  ...forEach(policies, (fetchPolicy) => ({
    title: `watch ${fetchPolicy}: all is cached, and the server knows better`,
    async play({ driver, library, book: { id }, rest, sentOperations }) {
      await driver.query(book, { id })
      await library.service.succeed('PATCH', `/books/${id}`, { title: 'newer' })
      const { states, stop } = driver.watch(book, { id }, { fetchPolicy })
      await rest()
      stop()
      return [states, sentOperations()]
    },
  })),
  ...forEach(policies, (fetchPolicy) => ({
    title: `watch ${fetchPolicy}: a part is cached`,
    async play({ driver, book: { id }, rest, sentOperations }) {
      await driver.query(book, { id })
      const { states, stop } = driver.watch(withPages, { id }, { fetchPolicy })
      await rest()
      stop()
      return [states, sentOperations()]
    },
  })),
  ...forEach(policies, (fetchPolicy) => ({
    title: `watch ${fetchPolicy}: refetch, then a change of the cache`,
    async play({ driver, library, book: { id }, rest, sentOperations }) {
      const { states, refetch, stop } = driver.watch(book, { id }, { fetchPolicy })
      await rest()
      await library.service.succeed('PATCH', `/books/${id}`, { title: 'refetched' })
      const answer = await refetch()
      await rest()
      await driver.mutate(rename, { id, title: 'changed' })
      await rest()
      stop()
      return [states, answer, sentOperations()]
    },
  })),
  ...errorPolicies.flatMap((errorPolicy) =>
    forEach(['cache-first', 'cache-and-network', 'network-only', 'no-cache'] as const, (fetchPolicy) => ({
      title: `watch ${fetchPolicy}, ${errorPolicy}: the connection is broken, something is cached`,
      differs:
        fetchPolicy === 'cache-and-network' && errorPolicy !== 'none'
          ? 'Apollo drops the cached data that it has shown. This client keeps it.'
          : undefined,
      async play({ driver, library, book: { id }, rest, sentOperations }: SituationStage) {
        await driver.query(book, { id })
        library.before = cut
        const { states, stop } = driver.watch(book, { id }, { fetchPolicy, errorPolicy })
        await rest()
        stop()
        return [states, sentOperations()]
      },
    })),
  ),
  ...forEach(errorPolicies, (errorPolicy) => ({
    title: `watch, ${errorPolicy}: refetch over a broken connection`,
    differs: errorPolicy === 'none' ? undefined : 'Apollo drops the data that it has shown. This client keeps it.',
    async play({ driver, library, book: { id }, rest }) {
      const { states, refetch, stop } = driver.watch(book, { id }, { errorPolicy })
      await rest()
      library.before = cut
      const answer = await refetch()
      await rest()
      stop()
      return [states, answer]
    },
  })),
  ...forEach(errorPolicies, (errorPolicy) => ({
    title: `watch, ${errorPolicy}: a field fails`,
    async play({ driver, book: { id }, rest, sentOperations }) {
      const { states, stop } = driver.watch(withSecret, { id }, { errorPolicy })
      await rest()
      stop()
      return [states, sentOperations()]
    },
  })),
  {
    title: 'watch: other variables, and those from before again',
    async play({ driver, library, book: { id }, rest, sentOperations }) {
      const other = await library.book({ title: 'other' })
      const { states, setVariables, stop } = driver.watch(book, { id })
      await rest()
      setVariables({ id: other.id })
      await rest()
      setVariables({ id })
      await rest()
      stop()
      return [states.map(({ data, ...state }) => ({ ...state, isThere: data !== undefined })), sentOperations()]
    },
  },
  {
    title: 'two watches of the same query',
    async play({ driver, book: { id }, rest, sentOperations }) {
      const both = [driver.watch(book, { id }), driver.watch(book, { id })]
      await rest()
      for (const { stop } of both) stop()
      return [both.map(({ states }) => states), sentOperations()]
    },
  },
  {
    title: 'an optimistic mutation that succeeds',
    async play({ driver, book: { id }, rest }) {
      const { states, stop } = driver.watch(book, { id })
      await rest()
      const guess = { updateBook: { __typename: 'Book', id, title: 'guessed' } }
      const answer = await driver.mutate(rename, { id, title: 'true' }, guess)
      await rest()
      stop()
      return [states, answer]
    },
  },
  {
    title: 'an optimistic mutation that fails',
    async play({ driver, library, book: { id }, rest }) {
      const { states, stop } = driver.watch(book, { id })
      await rest()
      library.before = cut
      const guess = { updateBook: { __typename: 'Book', id, title: 'guessed' } }
      const answer = await driver.mutate(rename, { id, title: 'true' }, guess)
      await rest()
      stop()
      return [states, answer]
    },
  },
  {
    title: 'a row that is evicted while it is watched',
    differs: 'Apollo sends a request. In this client a change of the cache never does.',
    async play({ driver, book: { id }, rest, sentOperations }) {
      const { states, stop } = driver.watch(book, { id })
      await rest()
      driver.evict('Book', id)
      await rest()
      stop()
      return [states, sentOperations()]
    },
  },
  {
    title: 'two selections of an object without id',
    differs:
      'Apollo replaces the object; the watch is then incomplete and sends a request. This client merges the object.',
    async play({ driver, library, book: { id }, rest, sentOperations }) {
      await library.service.succeed('PATCH', `/books/${id}`, { about: { text: 'a', words: 1 } })
      const { states, stop } = driver.watch('query Text($id: ID!) { book(id: $id) { id about { text } } }', { id })
      await rest()
      await driver.query('query Words($id: ID!) { book(id: $id) { id about { words } } }', { id })
      await rest()
      stop()
      return [states.length, sentOperations()]
    },
  },
  {
    title: 'a row that a mutation deletes',
    differs: 'Apollo does not recognize deletes. This client recognizes those of Twain.',
    async play({ driver, book: { id, title }, rest, sentOperations }) {
      const list = 'query List($title: String!) { books(where: {title: {eq: $title}}) { id } }'
      const { states, stop } = driver.watch(list, { title })
      await rest()
      await driver.mutate(remove, { id })
      await rest()
      stop()
      return [states, sentOperations()]
    },
  },
  {
    title: 'an earlier request that is answered after a later one',
    differs: 'Apollo overwrites newer data with the older response. This client does not.',
    async play({ driver, library, book: { id }, rest }) {
      const pending = Promise.withResolvers<void>()
      let isHeld = false
      library.behind = ({ body }) => {
        if (!body.includes('query Book') || isHeld) return null
        isHeld = true
        return pending.promise
      }
      const early = driver.query(book, { id }, { fetchPolicy: 'network-only' })
      while (!isHeld) await new Promise((resolve) => setTimeout(resolve, 1))
      await driver.mutate(rename, { id, title: 'later' })
      pending.resolve()
      await early
      await rest()
      return driver.query(book, { id }, { fetchPolicy: 'cache-only' } satisfies Policy)
    },
  },
]
