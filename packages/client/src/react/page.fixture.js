// The page of react.test.ts: small applications of the hooks, in a real browser.

import { createClient } from '@twain/client'
import { restore } from '@twain/client/persist'
import {
  ClientProvider,
  useClient,
  useMutation,
  useQuery,
  useSubscription,
  useSuspenseQuery,
} from '@twain/client/react'
import { Component, createElement as h, StrictMode, Suspense, startTransition, useLayoutEffect, useState } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { application, List, one } from './application.fixture.js'

const rename = 'mutation ($id: ID!, $title: String!) { updateBook(id: $id, title: $title) { id title } }'

function Rename({ id }) {
  const [mutate, { loading, error, data }] = useMutation(rename)
  const said = error ? 'refused' : loading ? 'sending' : (data?.updateBook.title ?? 'idle')
  return [
    h('button', { type: 'button', key: 1, id: 'rename', onClick: () => mutate({ id, title: 'Dune II' }) }),
    h('button', { type: 'button', key: 2, id: 'refuse', onClick: () => mutate({ id, title: 'x'.repeat(50) }) }),
    h('p', { key: 3, id: 'mutation' }, said),
  ]
}

function Waiting({ id }) {
  const { data } = useSuspenseQuery(one, { id }, { fetchPolicy: 'network-only' })
  return h('p', { id: 'waiting' }, data.book === null ? 'none' : data.book.title)
}

class Boundary extends Component {
  state = { error: null }
  static getDerivedStateFromError = (error) => ({ error })
  render() {
    const { error } = this.state
    return error
      ? h('button', { type: 'button', id: 'again', onClick: () => this.setState({ error: null }) }, error.name)
      : this.props.children
  }
}

function Turning({ first, second }) {
  const [id, setId] = useState(first)
  return [
    h('button', { type: 'button', key: 1, id: 'turn', onClick: () => startTransition(() => setId(second)) }),
    h(Suspense, { key: 2, fallback: h('p', { id: 'fallback' }, 'waiting') }, h(Waiting, { id })),
  ]
}

function Events() {
  const [all, setAll] = useState([])
  useSubscription(
    'subscription { bookCreated { id title } }',
    {},
    { onData: ({ bookCreated }) => setAll((before) => [...before, bookCreated.title]) },
  )
  return h('p', { id: 'events' }, all.join())
}

function LiveCount() {
  const { data } = useQuery('{ booksAggregate(where: {pages: {eq: 77}}) { count } }', {}, { live: true })
  return h('p', { id: 'count' }, data?.booksAggregate.count)
}

/** Each of many takes some milliseconds, so that React renders them in several turns, and the cache changes in between. */
function Slow({ id, n, shown, torn }) {
  const { data } = useQuery(one, { id }, { fetchPolicy: 'cache-only' })
  const until = performance.now() + 3
  while (performance.now() < until);
  useLayoutEffect(() => {
    shown[n] = data.book.title
    // The last component compares what all have shown.
    if (n === many - 1 && new Set(shown).size > 1) torn.push([...shown])
  })
  return null
}

const many = 30

function Tearing({ id, torn }) {
  const client = useClient()
  const [isShown, setIsShown] = useState(false)
  const [shown] = useState([])
  const start = () => {
    startTransition(() => setIsShown(true))
    let version = 0
    let left = 3
    const change = setInterval(() => {
      if (shown.length === many && left-- === 0) {
        clearInterval(change)
        document.body.dataset.done = shown[0] === `v${version}`
        return
      }
      client.cache.write(one, { id }, { book: { __typename: 'Book', id, title: `v${++version}` } })
      if (shown.length === 0) torn.meanwhile = version
    }, 5)
  }
  return [
    h('button', { type: 'button', key: 1, id: 'start', onClick: start }),
    isShown && Array.from({ length: many }, (_, n) => h(Slow, { key: `s${n}`, id, n, shown, torn })),
  ]
}

function open() {
  window.sent = []
  const client = createClient({
    url: '/graphql',
    retry: { attempts: 1 },
    fetch: (url, init) => {
      if (init.body) window.sent.push(JSON.parse(init.body).query)
      return window.broken ? Promise.reject(new Error('broken')) : fetch(url, init)
    },
  })
  window.client = client
  return client
}

const within = (client, ...children) => h(StrictMode, null, h(ClientProvider, { client }, ...children))
const root = () => document.querySelector('#root')

window.show = {
  list: (id) => createRoot(root()).render(within(open(), h(List), h(List), h(Rename, { id }))),
  waiting: (first, second) =>
    createRoot(root()).render(within(open(), h(Boundary, null, h(Turning, { first, second })))),
  events: () => createRoot(root()).render(within(open(), h(Events))),
  liveCount: () => createRoot(root()).render(within(open(), h(LiveCount))),
  tearing: (id) => {
    const client = open()
    window.torn = []
    client.cache.write(one, { id }, { book: { __typename: 'Book', id, title: 'v0' } })
    createRoot(root()).render(h(ClientProvider, { client }, h(Tearing, { id, torn: window.torn })))
  },
  hydrate: (snapshot, id) => {
    const client = open()
    restore(client, snapshot)
    window.mistakes = []
    hydrateRoot(root(), application(client, id), { onRecoverableError: (error) => window.mistakes.push(String(error)) })
  },
}
