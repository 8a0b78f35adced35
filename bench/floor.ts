// The floor: what these four requests cost when somebody writes just them by hand, on node:http and one prepared
// statement each that builds the JSON. It reads the same bodies and sends the same bytes and header fields as Twain.

import { hash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { comments, posts, users } from './data.ts'
import { feedQuery, userQuery } from './questions.ts'

const database = fill(process.argv[2]!)

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

const page = database.prepare(`
  SELECT json_group_array(json_object('id', id, 'title', title, 'body', body, 'author', author)) AS text,
    EXISTS (SELECT 1 FROM post LIMIT 1 OFFSET ?1 + 20) AS more
  FROM (SELECT id, title, body, author FROM post ORDER BY id LIMIT 20 OFFSET ?1)`)

const server = createServer((request, response) => {
  if (request.url === '/graphql') readBody(request, (body) => answerGraphql(body, response))
  else if (request.url!.startsWith('/posts')) answerPage(Number(request.url!.split('=')[1]), request, response)
  else answerUser(request.url!.slice('/users/'.length), request, response)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ kind: 'listening', port: typeof address === 'object' ? address?.port : null })
})

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
  answerText(text, `"${row.version}-${digest(text)}"`, { vary: 'accept' }, request, response)
}

function answerPage(offset: number, request: IncomingMessage, response: ServerResponse): void {
  const row = page.get(offset)!
  const links = [`</posts?offset=0&limit=20>; rel="first"`]
  if (offset > 0) links.push(`</posts?offset=${Math.max(0, offset - 20)}&limit=20>; rel="prev"`)
  if (row.more === 1) links.push(`</posts?offset=${offset + 20}&limit=20>; rel="next"`)
  const text = row.text as string
  answerText(text, `"${digest(text)}"`, { vary: 'accept, prefer', link: links.join(', ') }, request, response)
}

function answerText(
  text: string,
  etag: string,
  headers: Record<string, string>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, { etag }).end()
    return
  }
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    etag,
    'cache-control': 'no-cache',
    ...headers,
  })
  response.end(text)
}

function digest(text: string): string {
  return hash('sha1', text, 'base64url').slice(0, 16)
}

function readBody(request: IncomingMessage, then: (body: string) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => then(chunks.length === 1 ? chunks[0]!.toString() : Buffer.concat(chunks).toString()))
}

function fill(file: string): DatabaseSync {
  const database = new DatabaseSync(file)
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE user (id TEXT PRIMARY KEY, version INTEGER NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE, bio TEXT) WITHOUT ROWID;
    CREATE TABLE post (id TEXT PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, author TEXT NOT NULL REFERENCES user) WITHOUT ROWID;
    CREATE TABLE comment (id TEXT PRIMARY KEY, body TEXT NOT NULL, post TEXT NOT NULL REFERENCES post, author TEXT NOT NULL REFERENCES user) WITHOUT ROWID;
    CREATE INDEX comment_post ON comment (post, id);
    BEGIN`)
  const [addUser, addPost, addComment] = [
    database.prepare('INSERT INTO user VALUES (?, 1, ?, ?, ?)'),
    database.prepare('INSERT INTO post VALUES (?, ?, ?, ?)'),
    database.prepare('INSERT INTO comment VALUES (?, ?, ?, ?)'),
  ]
  for (const row of users) addUser.run(row.id, row.name, row.email, row.bio)
  for (const row of posts) addPost.run(row.id, row.title, row.body, row.author)
  for (const row of comments) addComment.run(row.id, row.body, row.post, row.author)
  database.exec('COMMIT')
  return database
}
