// The floor: the same requests on node:http, where one statement builds the JSON of each answer. No framework, no validation.

import { createServer, type ServerResponse } from 'node:http'
import { listen, readBody } from '../plain-server.ts'
import { openFloor } from './floor-statements.ts'
import { connectionQuery, createMutation, cursorQuery, feedQuery } from './requests.ts'
import { newId } from './rows.ts'

const statements = await openFloor()

listen(
  createServer((request, response) => {
    const url = request.url!
    if (url === '/graphql') readBody(request, (body) => void answerGraphql(JSON.parse(body), response))
    else if (request.method === 'POST') readBody(request, (body) => void create(JSON.parse(body), response))
    else if (url.startsWith('/users/'))
      void statements.user(url.slice('/users/'.length)).then((text) => send(200, text, response))
    else {
      const moment = new URLSearchParams(url.slice(url.indexOf('?'))).get('publishedAt[lt]')!
      void statements.page(moment).then((text) => send(200, text, response))
    }
  }),
)

async function create(input: Input, response: ServerResponse): Promise<void> {
  const row = { id: newId(), ...input }
  await statements.create(row)
  send(201, JSON.stringify(row), response)
}

interface Variables {
  offset: number
  input: Input
  before: string
  after: string
}

interface Input {
  body: string
  post: string
  author: string
}

async function answerGraphql({ query, variables }: { query: string; variables: Variables }, response: ServerResponse) {
  send(200, `{"data":${await dataOf(query, variables)}}`, response)
}

async function dataOf(query: string, variables: Variables): Promise<string> {
  if (query === feedQuery) return `{"posts":${await statements.feed(String(variables.offset))}}`
  if (query === createMutation) {
    const id = newId()
    await statements.create({ id, ...variables.input })
    return `{"createComment":${await statements.comment(id)}}`
  }
  if (query === cursorQuery) return connection(await statements.before(variables.before), 1)
  if (query !== connectionQuery) throw new Error(`The floor does not know ${query}`)
  const [moment, id] = Buffer.from(variables.after, 'base64url').toString().split('|')
  return connection(await statements.after(moment!, id!), 20)
}

function connection(rows: { id: string; moment: string; text: string }[], first: number): string {
  const shown = rows.slice(0, first)
  const last = shown.at(-1)!
  const cursor = Buffer.from(`${last.moment}|${last.id}`).toString('base64url')
  const edges = shown.map(({ text }) => `{"node":${text}}`).join(',')
  return `{"postsConnection":{"edges":[${edges}],"pageInfo":{"hasNextPage":${rows.length > first},"endCursor":"${cursor}"}}}`
}

function send(status: number, text: string, response: ServerResponse): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}
