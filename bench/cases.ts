// The requests to both servers: each case is a few raw requests that the load process sends in turn.

import { posts, users } from './data.ts'

export interface Case {
  name: string
  /** Twain's CPU time is at most this many times that of the baseline. */
  target: number
  requests: RawRequest[]
}

export interface RawRequest {
  method: 'GET' | 'POST'
  path: string
  body: string | null
}

export const feedQuery = `query Feed($offset: Int!) {
  posts(offset: $offset, limit: 20) {
    id
    title
    author { id name }
    comments(limit: 3) { id body }
  }
}`

export const userQuery = `query User($id: ID!) {
  user(id: $id) { id name email bio }
}`

const graphql = (query: string, variables: object): RawRequest => ({
  method: 'POST',
  path: '/graphql',
  body: JSON.stringify({ query, variables }),
})

export const cases: Case[] = [
  {
    name: 'GraphQL nested list',
    target: 1.2,
    requests: posts.slice(0, 50).map((_, index) => graphql(feedQuery, { offset: index })),
  },
  { name: 'GraphQL point', target: 1.4, requests: users.map(({ id }) => graphql(userQuery, { id })) },
  {
    name: 'REST point',
    target: 1.3,
    requests: users.map(({ id }) => ({ method: 'GET', path: `/users/${id}`, body: null })),
  },
  {
    name: 'REST page',
    target: 1.3,
    requests: posts.slice(0, 50).map((_, index) => ({ method: 'GET', path: `/posts?offset=${index}`, body: null })),
  },
]

/** The baseline writes no log and has no rate limit. These cases compare it with Twain without request log and rate
 *  limit. */
export const bareCases: Case[] = [1.2, 1.4, 1.4].map((target, index) => {
  const each = cases[index]!
  return { ...each, name: `${each.name}, without request log and rate limit`, target }
})

/** With the default settings: the result cache answers repeated requests. */
export const cachedCases: Case[] = cases.map((each) => ({ ...each, name: `${each.name}, cached result` }))
