// The GraphQL requests of the comparison, written by hand with Mercurius: compiled queries, and loaders for what rows refer to.

import fastify from 'fastify'
import mercurius from 'mercurius'
import { openDatabase } from './open-database.ts'
import { type CommentRow, newId, type PostRow } from './rows.ts'

const database = await openDatabase()

const schema = `
  scalar DateTime
  enum Direction { ASC DESC }
  input DateTimeFilter { lt: DateTime }
  input PostWhere { publishedAt: DateTimeFilter }
  input PostOrder { publishedAt: Direction }
  input CreateCommentInput { body: String! post: ID! author: ID! }
  type User { id: ID! name: String! }
  type Comment { id: ID! body: String! post: Post! author: User! }
  type Post { id: ID! title: String! publishedAt: DateTime! author: User! comments(limit: Int! = 20): [Comment!]! }
  type PostEdge { node: Post! }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type PostConnection { edges: [PostEdge!]! pageInfo: PageInfo! }
  type Query {
    posts(offset: Int! = 0, limit: Int! = 20): [Post!]!
    postsConnection(first: Int!, after: String, where: PostWhere, orderBy: [PostOrder!]): PostConnection!
  }
  type Mutation { createComment(input: CreateCommentInput!): Comment! }
`

interface ConnectionArguments {
  first: number
  after?: string | null
  where?: { publishedAt: { lt: string } }
}

const app = fastify({ logger: { level: 'info' } })
await app.register(mercurius, {
  schema,
  jit: 1,
  resolvers: {
    Query: {
      posts: (_: unknown, { limit, offset }: { limit: number; offset: number }) => database.posts(limit, offset),
      async postsConnection(_: unknown, { first, after, where }: ConnectionArguments) {
        const rows = await database.newest(first + 1, after ? readCursor(after) : null, where?.publishedAt.lt)
        const shown = rows.slice(0, first)
        const last = shown.at(-1)
        return {
          edges: shown.map((node) => ({ node })),
          pageInfo: { hasNextPage: rows.length > first, endCursor: last === undefined ? null : cursorOf(last) },
        }
      },
    },
    Mutation: {
      async createComment(_: unknown, { input }: { input: Omit<CommentRow, 'id'> }) {
        const row = { id: newId(), ...input }
        await database.createComment(row)
        return row
      },
    },
  },
  loaders: {
    Post: {
      async author(queries: { obj: PostRow }[]) {
        return usersInOrder(queries.map(({ obj }) => obj.author))
      },
      async comments(queries: { obj: PostRow; params: { limit: number } }[]) {
        const limit = Math.max(...queries.map(({ params }) => params.limit))
        const rows = await database.comments(
          queries.map(({ obj }) => obj.id),
          limit,
        )
        const byPost = Map.groupBy(rows, ({ post }) => post)
        return queries.map(({ obj, params }) => (byPost.get(obj.id) ?? []).slice(0, params.limit))
      },
    },
    Comment: {
      async author(queries: { obj: CommentRow }[]) {
        return usersInOrder(queries.map(({ obj }) => obj.author))
      },
      async post(queries: { obj: CommentRow }[]) {
        return Promise.all(queries.map(({ obj }) => database.post(obj.post)))
      },
    },
  },
})

async function usersInOrder(ids: string[]) {
  const rows = await database.users([...new Set(ids)])
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id))
}

function cursorOf({ publishedAt, id }: PostRow): string {
  return Buffer.from(JSON.stringify([publishedAt, id])).toString('base64url')
}

function readCursor(cursor: string): { publishedAt: string; id: string } {
  const [publishedAt, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  return { publishedAt, id }
}

await app.listen({ port: 0, host: '127.0.0.1' })
process.send?.({ kind: 'listening', port: app.addresses()[0]!.port })
