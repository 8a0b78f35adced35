// A small model, and a GraphQL API over a fake engine that answers from a list and records the plans it gets: for the tests of
// this module.

import type { Tokens } from '#auth'
import { anonymous, type HttpReply, type HttpRequest, plainRequest, type Viewer } from '#base/http'
import { fakeEngine } from '#fake-engine'
import { type Abstract, loadModel, type Model, type Resource } from '#model'
import type { BoundPlan, Limits, PlanResult } from '#plan'
import type { Visibility } from '#plan/build'
import { createGraphql, type GraphqlOptions } from './graphql.ts'

export const blog: Model = loadModel(
  `
  interface Named { id: ID! name: String }
  type User implements Named { id: ID! name: String! age: Int address: Address posts: [Post!]! }
  type Tag implements Named { id: ID! name: String posts: [Post!]! }
  type Post {
    id: ID!
    title: String!
    status: Status! @default(value: DRAFT)
    labels: [String!]
    price: Decimal
    meta: JSON
    pinned: Boolean
    createdAt: DateTime @auto(set: CREATE_TIME)
    slug: String @immutable
    author: User!
    comments: [Comment!]!
    tags: [Tag!]!
  }
  type Comment { id: ID! body: String! post: Post! about: Named }
  type Address { city: String former: [Address!] }
  enum Status { DRAFT PUBLISHED }
  union Found = Post | User
  `,
  'blog.graphql',
)

export function resource(name: string): Resource {
  const type = blog.types.get(name)
  if (type?.kind !== 'resource') throw new Error(`${name} is not a resource`)
  return type
}

export function abstract(name: string): Abstract {
  const type = blog.types.get(name)
  if (type?.kind !== 'abstract') throw new Error(`${name} is not abstract`)
  return type
}

interface FakeGraphqlOptions extends GraphqlOptions {
  model?: Model
  limits?: Partial<Limits>
  /** Returned in turn, the last one repeatedly; an Error is thrown. */
  answers?: (PlanResult | Error)[]
  visibility?: (viewer: Viewer) => Visibility
  tokens?: Tokens
  viewer?: Viewer
}

export function fakeGraphql(faking: FakeGraphqlOptions = {}) {
  const { model = blog, limits, answers, visibility, tokens, viewer, ...options } = faking
  const executedPlans: BoundPlan[] = []
  const engine = fakeEngine({
    model,
    limits,
    answers,
    visibility,
    unexpected: 'UNAVAILABLE',
    onExecute: (boundPlan: BoundPlan) => executedPlans.push(boundPlan),
  })
  const api = createGraphql(engine, tokens ?? null, options)
  const send = (request: Partial<HttpRequest>) => api({ ...defaults, ...request }, viewer ?? anonymous)
  return {
    executedPlans,
    send,
    run: async (query: string, variables: object = {}) => {
      const reply = await send({ body: async () => Buffer.from(JSON.stringify({ query, variables })) })
      return responseOf(reply)
    },
  }
}

const defaults = plainRequest('POST', '/graphql', { headers: { 'content-type': 'application/json' } })

interface Response {
  data?: Record<string, unknown> | null
  errors?: {
    message: string
    path?: (string | number)[]
    locations?: { line: number; column: number }[]
    extensions: { code: string; errors?: { path: string; code: string; message: string }[]; hint?: string; id?: string }
  }[]
}

export function responseOf({ body }: HttpReply): Response {
  return JSON.parse(String(body)) as Response
}

/** `path CODE` of every mistake that the response names. */
export function mistakesOf({ errors = [] }: Response): string[] {
  return errors.flatMap(({ extensions }) => extensions.errors ?? []).map(({ path, code }) => `${path} ${code}`)
}

export const oneRow: PlanResult = { kind: 'one', text: '{"id":"p1"}', version: 1 }
export const rows: PlanResult = { kind: 'many', text: '[{"id":"p1"}]', more: false, total: null }
export const written: PlanResult = { kind: 'written', text: '{"id":"p1"}', id: 'p1', version: 1, created: true }
