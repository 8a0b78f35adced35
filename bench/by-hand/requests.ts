// The requests of a comparison. Rows, pages and moments are random, the same for every server.

import type { RawRequest } from '../cases.ts'
import { comments, momentOf, posts, users } from './rows.ts'

export type ServerName = 'fastify' | 'mercurius'

export interface Comparison {
  name: string
  /** The server that a team would write for these requests. */
  peer: ServerName
  /** On PostgreSQL at least so many times the rate of the peer; on SQLite at most so many times the CPU time of the floor. */
  targets: { rate: number; cost: number | null }
  /** `mixed` and `repeated` requests are those of others. */
  kind: 'random' | 'mixed' | 'repeated'
  requests(cursors: readonly string[]): RawRequest[]
}

/** More than a server answers in a round, so that no result is asked for twice. */
const count = 30_000

export const feedQuery =
  'query Feed($offset: Int!) { posts(offset: $offset, limit: 20) { id title author { id name } comments(limit: 3) { id body } } }'

export const connectionQuery = `query Page($after: String) {
  postsConnection(first: 20, after: $after, orderBy: [{publishedAt: DESC}]) {
    edges { node { id title publishedAt } }
    pageInfo { hasNextPage endCursor }
  }
}`

export const cursorQuery = `query Cursor($before: DateTime!) {
  postsConnection(first: 1, where: {publishedAt: {lt: $before}}, orderBy: [{publishedAt: DESC}]) { pageInfo { endCursor } }
}`

export const createMutation = `mutation Create($input: CreateCommentInput!) {
  createComment(input: $input) { id body post { id title } author { id name } }
}`

const onRest: Record<'point' | 'page' | 'create', (random: Random) => RawRequest> = {
  point: (random) => ({ method: 'GET', path: `/users/${random.of(users).id}`, body: null }),
  page: (random) => ({
    method: 'GET',
    path: `/posts?status=PUBLISHED&publishedAt%5Blt%5D=${momentOf(random.below(posts.length))}&sort=-publishedAt&limit=20&fields=id,title,publishedAt,author.name`,
    body: null,
  }),
  create: (random) => ({ method: 'POST', path: '/comments', body: JSON.stringify(newComment(random)) }),
}

const onGraphql: Record<'feed' | 'create', (random: Random) => RawRequest> = {
  feed: (random) => graphql(feedQuery, { offset: random.below(posts.length - 20) }),
  create: (random) => graphql(createMutation, { input: newComment(random) }),
}

const comparisons: Comparison[] = [
  {
    name: 'REST row by id',
    kind: 'random',
    peer: 'fastify',
    targets: { rate: 1.2, cost: 1.3 },
    requests: () => many(onRest.point),
  },
  {
    name: 'REST page of 20 with author, filter, moment',
    kind: 'random',
    peer: 'fastify',
    targets: { rate: 1.2, cost: 1.27 },
    requests: () => many(onRest.page),
  },
  {
    name: 'GraphQL nested list',
    kind: 'random',
    peer: 'mercurius',
    targets: { rate: 1.5, cost: 1.2 },
    requests: () => many(onGraphql.feed),
  },
  {
    name: 'GraphQL page after a cursor, at any depth',
    kind: 'random',
    peer: 'mercurius',
    targets: { rate: 1.4, cost: 1.24 },
    requests: (cursors) => many((random) => graphql(connectionQuery, { after: random.of(cursors) })),
  },
  {
    name: 'REST create',
    kind: 'random',
    peer: 'fastify',
    targets: { rate: 1.2, cost: null },
    requests: () => many(onRest.create),
  },
  {
    name: 'GraphQL create and read back',
    kind: 'random',
    peer: 'mercurius',
    targets: { rate: 1.5, cost: null },
    requests: () => many(onGraphql.create),
  },
  {
    name: 'REST, 90 % pages and rows, 10 % creates',
    peer: 'fastify',
    targets: { rate: 1.2, cost: null },
    kind: 'mixed',
    requests: () => many((random) => mixed(random, [onRest.point, onRest.page], onRest.create)),
  },
  {
    name: 'GraphQL, 90 % nested lists, 10 % creates',
    peer: 'mercurius',
    targets: { rate: 1.5, cost: null },
    kind: 'mixed',
    requests: () => many((random) => mixed(random, [onGraphql.feed], onGraphql.create)),
  },
  repeated('REST row by id, repeated', 'fastify', onRest.point),
  repeated('REST page, repeated', 'fastify', onRest.page),
  repeated('GraphQL nested list, repeated', 'mercurius', onGraphql.feed),
]

/** A few requests again and again, as of a front page: the result cache of SQLite has the answers. */
function repeated(name: string, peer: ServerName, one: (random: Random) => RawRequest): Comparison {
  const requests = () => many(one).slice(0, 50)
  return { name, kind: 'repeated', peer, targets: { rate: 1, cost: null }, requests }
}

/** Those with this text in their name. */
export function chooseComparisons(only: string): Comparison[] {
  const chosen = comparisons.filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()))
  if (chosen.length > 0) return chosen
  throw new Error(`No comparison has "${only}" in its name: ${comparisons.map(({ name }) => name).join('; ')}`)
}

export function graphql(query: string, variables: object): RawRequest {
  return { method: 'POST', path: '/graphql', body: JSON.stringify({ query, variables }) }
}

function mixed(
  random: Random,
  reads: readonly ((random: Random) => RawRequest)[],
  write: (random: Random) => RawRequest,
): RawRequest {
  return random.below(10) === 0 ? write(random) : random.of(reads)(random)
}

function newComment(random: Random): object {
  return { body: random.of(comments).body, post: random.of(posts).id, author: random.of(users).id }
}

function many(one: (random: Random) => RawRequest): RawRequest[] {
  const random = new Random(1)
  return Array.from({ length: count }, () => one(random))
}

/** Reproducible numbers: a linear congruential generator. */
class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0
    return Math.floor((this.#state / 2 ** 32) * limit)
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }
}
