// A small service with files: a public picture of a post, a private one of a note.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { bodyText, type HttpReply, type HttpRequest, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { defaultFileSettings, type FileSettings } from '../../packages/twain/src/files/index.ts'
import { openService, type Service } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { makeTestStorage } from './test-storage.ts'

const sdl = `
type User @account @allow(to: [READ, CREATE]) @allow(who: "self") {
  id: ID!
  email: String! @unique
  picture: File
}
type Post @allow(to: [READ]) @allow(who: "author") {
  id: ID!
  title: String!
  cover: File
  photos: [File!]!
  author: User! @auto(set: VIEWER)
}
type Note @allow(who: "owner") {
  id: ID!
  scan: File!
  owner: User! @auto(set: VIEWER)
}
type Letter @allow(to: [CREATE]) @allow(role: "admin") {
  id: ID!
  scan: File
}
`

export interface FormPart {
  headers?: Record<string, string>
  body?: string | Uint8Array
}

interface Reply {
  status: number
  headers: HttpReply['headers']
  text: string
  json: ReturnType<typeof JSON.parse>
}

export interface FilesService {
  service: Service
  send(method: string, target: string, sent?: FormPart): Promise<Reply>
  /** The same for a reply that is no text. */
  sendBytes(
    method: string,
    target: string,
    sent?: FormPart,
  ): Promise<{ status: number; headers: HttpReply['headers']; bytes: Buffer }>
  /** The authorization header of someone who has just signed up. */
  signUp(name: string): Promise<{ authorization: string }>
  graphql(query: string, variables?: object, headers?: Record<string, string>): Promise<Reply['json']>
  /** The number of files in storage, complete ones and others. */
  stored(): Promise<number>
  /** Advances the clock, in hours. */
  wait(hours: number): void
  data: string
}

export async function openFiles(
  t: TestContext,
  schema = sdl,
  limits = defaultLimits,
  files: FileSettings = defaultFileSettings,
): Promise<FilesService> {
  const { folder, data, database, stored, drop } = await makeTestStorage()
  const schemaFile = join(folder, 'schema.graphql')
  writeFileSync(schemaFile, schema)
  const log = { info() {}, warn() {}, error: (fields: object, message: string) => console.error(message, fields) }
  let later = 0
  const clock = () => Date.now() + later
  const service = await openService({ schemaFile, data, database, poolSize: 4, limits, log, clock, files })
  t.after(async () => {
    await service.close()
    await drop()
  })
  const sendRequest = async (request: HttpRequest): Promise<Reply> => {
    const reply = await service.handle(request)
    const text = await bodyText(reply)
    const isJson = String(reply.headers['content-type']).includes('json')
    return { status: reply.status, headers: reply.headers, text, json: isJson ? JSON.parse(text) : null }
  }
  const send = (method: string, target: string, sent: FormPart = {}) => sendRequest(plainRequest(method, target, sent))
  const json = { 'content-type': 'application/json' }
  return {
    service,
    send,
    async sendBytes(method, target, sent = {}) {
      const { status, headers, body } = await service.handle(plainRequest(method, target, sent))
      return {
        status,
        headers,
        bytes: body === null ? Buffer.alloc(0) : await buffer(body as AsyncIterable<Uint8Array>),
      }
    },
    data,
    async signUp(name) {
      const body = JSON.stringify({ email: `${name}@example.org`, password: 'correct horse battery' })
      await send('POST', '/users', { headers: json, body })
      const { token } = (await send('POST', '/tokens', { headers: json, body })).json
      return { authorization: `Bearer ${token}` }
    },
    async graphql(query, variables = {}, headers = {}) {
      const body = JSON.stringify({ query, variables })
      return (await send('POST', '/graphql', { headers: { ...json, ...headers }, body })).json
    },
    stored,
    wait(hours) {
      later += hours * 3600 * 1000
    },
  }
}

/** A multipart form, as browsers write it. */
export function form(parts: readonly { name: string; fileName?: string; type?: string; value: string }[]): FormPart {
  const boundary = '----twainboundary'
  const lines = parts.map(({ name, fileName, type, value }) => {
    const called = fileName === undefined ? '' : `; filename="${fileName}"`
    const typed = type === undefined ? '' : `\r\nContent-Type: ${type}`
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${called}${typed}\r\n\r\n${value}\r\n`
  })
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `${lines.join('')}--${boundary}--\r\n`,
  }
}
