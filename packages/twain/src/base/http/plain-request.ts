// A request without a socket: from a seed, a tool or a test.

import type { HttpReply, HttpRequest } from './messages.ts'

interface PlainRequestOptions {
  headers?: Record<string, string>
  body?: string | Uint8Array
  address?: string
}

/** `target` is the path and query. A body gets its content-length. */
export function plainRequest(method: string, target: string, parts: PlainRequestOptions = {}): HttpRequest {
  const { headers = {}, body, address = '127.0.0.1' } = parts
  const bytes = typeof body === 'string' ? Buffer.from(body) : (body ?? new Uint8Array())
  const [path = '', ...query] = target.split('?')
  const length = body === undefined ? {} : { 'content-length': String(bytes.length) }
  return {
    method,
    path,
    query: query.join('?'),
    headers: { ...length, ...headers },
    address,
    body: async () => bytes,
    async *stream() {
      yield bytes
    },
  }
}

/** The whole body of a reply, streamed or not. */
export async function bodyText({ body }: Pick<HttpReply, 'body'>): Promise<string> {
  if (body === null) return ''
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return Buffer.from(body).toString()
  let text = ''
  for await (const part of body) text += typeof part === 'string' ? part : Buffer.from(part).toString()
  return text
}
