// The usual implementation: graphql-js and DataLoader. It parses and validates a document once, prepares statements once,
// and runs one statement for each level of the page.

import { createServer, type ServerResponse } from 'node:http'
import DataLoader from 'dataloader'
import { buildSchema, type DocumentNode, execute, parse, validate } from 'graphql'
import { listen, readBody } from './plain-server.ts'

const schema = buildSchema(`
  type Query { posts(offset: Int! = 0, limit: Int! = 20): [Post!]! user(id: ID!): User }
  type Post { id: ID! title: String! author: User! comments(offset: Int! = 0, limit: Int! = 20): [Comment!]! }
  type User { id: ID! name: String! email: String! bio: String }
  type Comment { id: ID! body: String! }
`)

export type Row = Record<string, string>

export interface Tables {
  posts(limit: number, offset: number): Row[] | Promise<Row[]>
  /** In any order. */
  users(ids: readonly string[]): Row[] | Promise<Row[]>
  /** So many of each post, in their order. */
  comments(posts: readonly string[], limit: number): Row[] | Promise<Row[]>
}

/** Loaders live as long as a request. */
class Context {
  readonly #tables: Tables
  readonly users = new DataLoader<string, Row | null>(async (ids) => {
    const byId = new Map((await this.#tables.users(ids)).map((row) => [row.id, row]))
    return ids.map((id) => byId.get(id) ?? null)
  })
  readonly #comments = new Map<number, DataLoader<string, Row[]>>()

  constructor(tables: Tables) {
    this.#tables = tables
  }

  comments(limit: number): DataLoader<string, Row[]> {
    const known = this.#comments.get(limit)
    if (known !== undefined) return known
    const made = new DataLoader<string, Row[]>(async (posts) => {
      const byPost = new Map(posts.map((post) => [post, [] as Row[]]))
      for (const row of await this.#tables.comments(posts, limit)) byPost.get(row.post!)!.push(row)
      return posts.map((post) => byPost.get(post)!)
    })
    this.#comments.set(limit, made)
    return made
  }
}

const queries = schema.getQueryType()!.getFields()
queries.user!.resolve = (_, { id }, context: Context) => context.users.load(id)
const post = (schema.getType('Post') as ReturnType<typeof schema.getQueryType>)!.getFields()
post.author!.resolve = (row: Row, _, context: Context) => context.users.load(row.author!)
post.comments!.resolve = (row: Row, { limit }, context: Context) => context.comments(limit).load(row.id!)

const documents = new Map<string, DocumentNode>()

export function serveGraphqlJs(tables: Tables): void {
  queries.posts!.resolve = (_, { limit, offset }) => tables.posts(limit, offset)
  listen(createServer((request, response) => readBody(request, (body) => void answer(body, tables, response))))
}

async function answer(body: string, tables: Tables, response: ServerResponse): Promise<void> {
  const { query, variables } = JSON.parse(body)
  const contextValue = new Context(tables)
  const result = await execute({ schema, document: documentOf(query), variableValues: variables, contextValue })
  const text = JSON.stringify(result)
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    vary: 'accept',
  })
  response.end(text)
}

function documentOf(query: string): DocumentNode {
  const known = documents.get(query)
  if (known !== undefined) return known
  const document = parse(query)
  const [error] = validate(schema, document)
  if (error !== undefined) throw error
  documents.set(query, document)
  return document
}
