// The floor: what these three requests cost when somebody writes just them by hand, on node:http and one prepared
// statement each that builds the JSON. It reads the same bodies and sends the same bytes and header fields as Twain.

import { hash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { fillTables, listen, readBody } from './plain-server.ts'
import { feedQuery, userQuery } from './questions.ts'

const database = fillTables(process.argv[2]!)

const feed = database.prepare(`
  SELECT json_group_array(json_object(
    'id', id,
    'title', title,
    'author', (SELECT json_object('id', user.id, 'name', user.name) FROM user WHERE user.id = page.author),
    'comments', (
      SELECT json_group_array(json_object('id', id, 'body', body))
      FROM (SELECT id, body FROM comment WHERE comment.post = page.id ORDER BY id LIMIT 3)
    )
  )) AS text
  FROM (SELECT id, title, author FROM post ORDER BY id LIMIT 20 OFFSET ?) AS page`)

const user = database.prepare(
  `SELECT json_object('id', id, 'name', name, 'email', email, 'bio', bio) AS text, version FROM user WHERE id = ?`,
)

const server = createServer((request, response) => {
  if (request.url === '/graphql') readBody(request, (body) => answerGraphql(body, response))
  else answerUser(request.url!.slice('/users/'.length), request, response)
})
listen(server)

function answerGraphql(body: string, response: ServerResponse): void {
  const { query, variables } = JSON.parse(body)
  const text =
    query === feedQuery
      ? `{"data":{"posts":${feed.get(variables.offset)!.text}}}`
      : query === userQuery
        ? `{"data":{"user":${user.get(variables.id)?.text ?? 'null'}}}`
        : null
  if (text === null) {
    response.writeHead(400).end()
    return
  }
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    vary: 'accept',
  })
  response.end(text)
}

function answerUser(id: string, request: IncomingMessage, response: ServerResponse): void {
  const row = user.get(id)
  if (row === undefined) {
    response.writeHead(404).end()
    return
  }
  const text = row.text as string
  const etag = `"${row.version}-${hash('sha1', text, 'base64url').slice(0, 16)}"`
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, { etag }).end()
    return
  }
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    etag,
    'cache-control': 'no-cache',
    vary: 'accept',
  })
  response.end(text)
}
