// What people write today: graphql-js and DataLoader over the same SQLite tables as the floor's. A document is parsed and
// validated once, statements are prepared once, and each level is one statement for the whole page.

import { createServer, type ServerResponse } from 'node:http'
import DataLoader from 'dataloader'
import { buildSchema, type DocumentNode, execute, parse, validate } from 'graphql'
import { fillTables, listen, readBody } from './plain-server.ts'

const database = fillTables(process.argv[2]!)

const schema = buildSchema(`
  type Query { posts(offset: Int! = 0, limit: Int! = 20): [Post!]! user(id: ID!): User }
  type Post { id: ID! title: String! author: User! comments(offset: Int! = 0, limit: Int! = 20): [Comment!]! }
  type User { id: ID! name: String! email: String! bio: String }
  type Comment { id: ID! body: String! }
`)

type Row = Record<string, string>

const statements = {
  posts: database.prepare('SELECT id, title, author FROM post ORDER BY id LIMIT ? OFFSET ?'),
  users: database.prepare('SELECT id, name, email, bio FROM user WHERE id IN (SELECT value FROM json_each(?))'),
  comments: database.prepare(`
    SELECT comment.id, comment.body, comment.post FROM json_each(?) AS page JOIN comment ON comment.id IN (
      SELECT id FROM comment WHERE post = page.value ORDER BY id LIMIT ?
    ) ORDER BY page.key, comment.id`),
}

/** Loaders live as long as a request. */
class Context {
  readonly users = new DataLoader<string, Row | null>(async (ids) => {
    const found = statements.users.all(JSON.stringify(ids)) as Row[]
    const byId = new Map(found.map((row) => [row.id, row]))
    return ids.map((id) => byId.get(id) ?? null)
  })
  readonly #comments = new Map<number, DataLoader<string, Row[]>>()

  comments(limit: number): DataLoader<string, Row[]> {
    const known = this.#comments.get(limit)
    if (known !== undefined) return known
    const made = new DataLoader<string, Row[]>(async (posts) => {
      const byPost = new Map(posts.map((post) => [post, [] as Row[]]))
      for (const row of statements.comments.all(JSON.stringify(posts), limit) as Row[]) byPost.get(row.post!)!.push(row)
      return posts.map((post) => byPost.get(post)!)
    })
    this.#comments.set(limit, made)
    return made
  }
}

const queries = schema.getQueryType()!.getFields()
queries.posts!.resolve = (_, { limit, offset }) => statements.posts.all(limit, offset)
queries.user!.resolve = (_, { id }, context: Context) => context.users.load(id)
const post = (schema.getType('Post') as ReturnType<typeof schema.getQueryType>)!.getFields()
post.author!.resolve = (row: Row, _, context: Context) => context.users.load(row.author!)
post.comments!.resolve = (row: Row, { limit }, context: Context) => context.comments(limit).load(row.id!)

const documents = new Map<string, DocumentNode>()

listen(createServer((request, response) => readBody(request, (body) => void answer(body, response))))

async function answer(body: string, response: ServerResponse): Promise<void> {
  const { query, variables } = JSON.parse(body)
  const contextValue = new Context()
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
