// The baseline: the cost of these four requests in a server written by hand for them, on node:http with one statement each.
// It reads the same bodies and sends the same bytes and header fields as Twain. Results arrive by a callback, so a
// synchronous database needs no promise.

import { hash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { feedQuery, userQuery } from './cases.ts'
import { listen, readBody } from './plain-server.ts'

export interface Questions {
  feed(offset: number, then: (text: string) => void): void
  user(id: string, then: (found: User | null) => void): void
  page(offset: number, then: (found: Page) => void): void
}

export interface User {
  text: string
  version: number
}

export interface Page {
  text: string
  more: boolean
}

export function serveBaseline({ feed, user, page }: Questions): void {
  const server = createServer((request, response) => {
    if (request.url === '/graphql') readBody(request, (body) => answerGraphql(body, response))
    else if (request.url!.startsWith('/posts')) {
      const offset = Number(request.url!.split('=')[1])
      page(offset, (found) => answerPage(offset, found, request, response))
    } else user(request.url!.slice('/users/'.length), (found) => answerUser(found, request, response))
  })
  listen(server)

  function answerGraphql(body: string, response: ServerResponse): void {
    const { query, variables } = JSON.parse(body)
    if (query === feedQuery) feed(variables.offset, (text) => answerData(`{"data":{"posts":${text}}}`, response))
    else if (query === userQuery) {
      user(variables.id, (found) => answerData(`{"data":{"user":${found?.text ?? 'null'}}}`, response))
    } else response.writeHead(400).end()
  }
}

function answerData(text: string, response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    vary: 'accept',
  })
  response.end(text)
}

function answerUser(found: User | null, request: IncomingMessage, response: ServerResponse): void {
  if (found === null) {
    response.writeHead(404).end()
    return
  }
  const { text, version } = found
  answerText(text, `"${version}-${digest(text)}"`, { vary: 'accept' }, request, response)
}

function answerPage(offset: number, { text, more }: Page, request: IncomingMessage, response: ServerResponse): void {
  const links = [`</posts?offset=0&limit=20>; rel="first"`]
  if (offset > 0) links.push(`</posts?offset=${Math.max(0, offset - 20)}&limit=20>; rel="prev"`)
  if (more) links.push(`</posts?offset=${offset + 20}&limit=20>; rel="next"`)
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
