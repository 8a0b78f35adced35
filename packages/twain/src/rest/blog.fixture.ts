// A small schema, and a REST API over an engine that returns prepared results and records what it executed.

import type { Tokens } from '#auth'
import { anonymous, type HttpReply, type HttpRequest, plainRequest, type Viewer } from '#base/http'
import type { ExecuteOptions } from '#engine'
import { fakeEngine } from '#fake-engine'
import { loadModel, type Model, type Resource } from '#model'
import type { BoundPlan, PlanResult } from '#plan'
import type { Visibility } from '#plan/build'
import { createRest } from './rest.ts'

export const blog: Model = loadModel(
  `
  type User { id: ID! name: String! email: String @unique age: Int address: Address posts: [Post!]! profile: Profile @relation(inverse: "user") }
  type Profile { id: ID! bio: String user: User! @unique }
  type Post {
    id: ID!
    title: String!
    status: Status! @default(value: DRAFT)
    labels: [String!]
    createdAt: DateTime @auto(set: CREATE_TIME)
    author: User!
    comments: [Comment!]! @relation(inverse: "post")
    tags: [Tag!]!
    where: String
    sort: String
  }
  type Comment { id: ID! body: String! post: Post! about: Found }
  type Tag { id: ID! name: String! posts: [Post!]! type: String }
  type Address { street: String city: String country: Country former: [Address!] }
  type Country { code: String name: String }
  enum Status { DRAFT PUBLISHED }
  union Found = Post | User
  union Labelled = Post | Tag
  `,
  'blog.graphql',
)

export function resource(name: string): Resource {
  const type = blog.types.get(name)
  if (type?.kind !== 'resource') throw new Error(`${name} is not a resource`)
  return type
}

interface RequestOptions {
  viewer?: Viewer
  method?: string
  headers?: Record<string, string>
  /** Sent as JSON; text and bytes are sent unchanged. */
  body?: unknown
}

/** A REST API over an engine that returns these results in turn (it throws an Error), and all that the engine executed. */
export function fakeRest(...answers: (PlanResult | Error)[]) {
  return fakeRestWith({ answers })
}

interface FakeRestOptions {
  model?: Model
  answers?: (PlanResult | Error)[]
  visibility?: (viewer: Viewer) => Visibility
  tokens?: Tokens
}

export function fakeRestWith({ model = blog, answers, visibility, tokens }: FakeRestOptions) {
  const executed: { boundPlan: BoundPlan; options: ExecuteOptions | undefined }[] = []
  const engine = fakeEngine({
    model,
    answers,
    visibility: visibility,
    onExecute: (boundPlan, options) => executed.push({ boundPlan, options }),
  })
  const rest = createRest(engine, tokens ?? null)
  return {
    executed,
    send: (target: string, options: RequestOptions = {}) =>
      rest(requestOf(target, options), options.viewer ?? anonymous),
  }
}

export function requestOf(target: string, { method = 'GET', headers = {}, body }: RequestOptions = {}): HttpRequest {
  const address = '192.0.2.1'
  if (body === undefined) return plainRequest(method, target, { headers, address })
  const typed = { 'content-type': 'application/json', ...headers }
  return plainRequest(method, target, { headers: typed, body: bytesOf(body), address })
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

interface ProblemBody {
  status: number
  code: string
  detail: string
  instance: string
  hint?: string
  errors: { path: string; code: string; message: string }[]
}

export function problemOf(reply: HttpReply): ProblemBody {
  return JSON.parse(String(reply.body)) as ProblemBody
}

/** `path CODE` of every problem in the reply. */
export function problemPathsOf(reply: HttpReply): string[] {
  return problemOf(reply).errors.map(({ path, code }) => `${path} ${code}`)
}
