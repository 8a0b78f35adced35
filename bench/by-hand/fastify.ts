// The REST requests of the comparison, written by hand with Fastify: schemas for bodies and responses, one statement each.

import fastify from 'fastify'
import { openDatabase } from './open-database.ts'
import { type CommentRow, newId } from './rows.ts'

const database = await openDatabase()
const text = { type: 'string' } as const
const app = fastify({ logger: { level: 'info' } })

const user = { type: 'object', properties: { id: text, name: text, email: text } }
app.get<{ Params: { id: string } }>(
  '/users/:id',
  { schema: { response: { 200: user } } },
  async ({ params }, reply) => {
    const row = await database.user(params.id)
    return row ?? reply.code(404).send()
  },
)

const authorName = { type: 'object', properties: { name: text } }
const page = {
  type: 'array',
  items: { type: 'object', properties: { id: text, title: text, publishedAt: text, author: authorName } },
}
app.get<{ Querystring: { 'publishedAt[lt]': string; limit: number } }>(
  '/posts',
  { schema: { response: { 200: page } } },
  async ({ query }) => {
    const rows = await database.publishedBefore(query['publishedAt[lt]'], Number(query.limit))
    return rows.map(({ id, title, publishedAt, name }) => ({ id, title, publishedAt, author: { name } }))
  },
)

const comment = { type: 'object', properties: { id: text, body: text, post: text, author: text } }
const newComment = {
  type: 'object',
  required: ['body', 'post', 'author'],
  additionalProperties: false,
  properties: { body: { ...text, minLength: 1 }, post: text, author: text },
}
app.post<{ Body: Omit<CommentRow, 'id'> }>(
  '/comments',
  { schema: { body: newComment, response: { 201: comment } } },
  async ({ body }, reply) => {
    const row = { id: newId(), ...body }
    await database.createComment(row)
    return reply.code(201).send(row)
  },
)

await app.listen({ port: 0, host: '127.0.0.1' })
process.send?.({ kind: 'listening', port: app.addresses()[0]!.port })
