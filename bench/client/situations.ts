// The measured situations, the same for each client. A situation prepares its data and returns the function to time.

import assert from 'node:assert/strict'
import type { Peer, PeerQuery, Row } from './peer.ts'

export interface Situation {
  name: string
  /** How often the timed part runs in one round; the figure is for one run. */
  times: number
  prepare(open: () => Peer, round: number): Timed
}

/** Resolves when all watchers have been notified. */
type Timed = () => void | Promise<void>

const entities = 10_000
const watchers = 1_000

export const situations: Situation[] = [
  {
    name: `Write ${entities} rows into an empty cache and read them`,
    times: 1,
    prepare(open) {
      const peer = open()
      const data = flatAnswer()
      return () => expectRows(peer.answer(flat, data), entities)
    },
  },
  {
    name: `Write ${entities} rows, nested, into an empty cache and read them`,
    times: 1,
    prepare(open) {
      const peer = open()
      const data = nestedAnswer()
      return () => expectRows(peer.answer(nested, data), posts)
    },
  },
  {
    name: 'Write the same answer again and read it',
    times: 1,
    prepare(open) {
      const peer = filled(open)
      const again = nestedAnswer()
      return () => expectRows(peer.answer(nested, again), posts)
    },
  },
  {
    name: 'Read them by another query',
    times: 1,
    prepare(open, round) {
      const peer = filled(open)
      const other = { text: nested.text.replace('query', `query Other${round}`) }
      return () => expectRows(peer.read(other), posts)
    },
  },
  {
    name: 'Read them again',
    times: 3,
    prepare(open) {
      const peer = filled(open)
      peer.read(nested)
      return () => expectRows(peer.read(nested), posts)
    },
  },
  {
    name: `Change a row that ${watchers} watch`,
    times: 60,
    prepare: (open) => watched(open(), watchers, () => row('0')),
  },
  {
    name: `Change a row that one of ${watchers} watches`,
    times: 50,
    prepare: (open) => watched(open(), 1, (n) => row(String(n))),
  },
  {
    name: `Change a row of a list of ${entities} that is watched`,
    times: 5,
    prepare(open) {
      const peer = open()
      peer.change(flat, flatAnswer())
      let title = ''
      let told = 0
      peer.watch(flat, (data) => {
        told++
        title = (data as { posts: Row[] }).posts[0]!.title as string
      })
      let version = 0
      return async () => {
        const before = told
        const next = `Changed ${++version}`
        peer.change(changed, post('0', next))
        for (let turn = 0; told === before && turn < 100; turn++) await undefined
        assert.equal(title, next)
      }
    },
  },
]

let full: Peer | null = null

/** A client that already has the nested response, for reads that do not change it: to fill it takes longer than the
 *  measurement. */
function filled(open: () => Peer): Peer {
  if (full === null) {
    full = open()
    full.answer(nested, nestedAnswer())
  }
  return full
}

/** Many watchers, all of one row or each of its own. The first row changes, and `expected` watchers are notified. */
function watched(peer: Peer, expected: number, queryOf: (n: number) => PeerQuery): Timed {
  let title = ''
  let told = 0
  const queries = Array.from({ length: watchers }, (_, n) => queryOf(n))
  for (const query of queries) peer.change(query, post(String(query.variables!.id), 'First'))
  for (const query of queries)
    peer.watch(query, (data) => {
      told++
      title = (data as { post: Row }).post.title as string
    })
  let version = 0
  return async () => {
    const next = `Changed ${++version}`
    told = 0
    peer.change(changed, post('0', next))
    for (let turn = 0; told < expected && turn < 100; turn++) await undefined
    assert.equal(told, expected)
    assert.equal(title, next)
  }
}

const flat: PeerQuery = { text: 'query { posts { __typename id title views published } }' }
const nested: PeerQuery = {
  text: 'query { posts { __typename id title views published author { __typename id name } } }',
}
const row = (id: string): PeerQuery => ({
  text: 'query Row($id: ID!) { post(id: $id) { __typename id title views published } }',
  variables: { id },
})

/** Another query than the watched ones: the watchers are notified because the cache identifies the same row. */
const changed: PeerQuery = { text: row('0').text.replace('Row', 'Changed'), variables: { id: '0' } }

const posts = entities * 0.9
const authors = entities - posts

/** A new object each time, as from a network. */
function flatAnswer(): Row {
  return { posts: Array.from({ length: entities }, (_, n) => flatPost(String(n), `Title ${n}`)) }
}

function nestedAnswer(): Row {
  const author = (n: number) => ({ __typename: 'User', id: String(n), name: `Name ${n}` })
  const list = Array.from({ length: posts }, (_, n) => ({
    ...flatPost(String(n), `Title ${n}`),
    author: author(n % authors),
  }))
  return { posts: list }
}

const post = (id: string, title: string): Row => ({ post: flatPost(id, title) })

const flatPost = (id: string, title: string): Row => ({ __typename: 'Post', id, title, views: 7, published: true })

function expectRows(data: unknown, count: number): void {
  const list = (data as { posts: Row[] }).posts
  assert.equal(list.length, count)
  assert.equal(list[count - 1]!.title, `Title ${count - 1}`)
}
