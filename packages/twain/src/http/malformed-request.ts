// What is no HTTP, or comes too slowly: told in one raw reply, since there is no request to reply to, then closed. It is
// counted by its reason, and has a line in the log as requests have.

import type { Socket } from 'node:net'
import { type HttpReply, problemDocument } from '#base'
import type { ServerContext } from './exchange.ts'
import { requestId } from './request-id.ts'

/** `url` is how long a URL may be. */
type MalformedRequestContext = Pick<ServerContext, 'url' | 'metrics' | 'onServed'>

export function answerMalformed(
  error: ParserError,
  socket: Socket,
  { url, metrics, onServed }: MalformedRequestContext,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const reason = reasonOf(error, url)
  const { status, headers, body } = malformedReply(reason)
  const id = requestId(undefined)
  const bytes = Buffer.byteLength(body as string)
  socket.end(
    `HTTP/1.1 ${status} ${reasons[reason].title}\r\nconnection: close\r\nx-request-id: ${id}\r\n` +
      Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('') +
      `content-length: ${bytes}\r\n\r\n${body}`,
  )
  metrics?.malformed(reason)
  const address = socket.remoteAddress ?? ''
  const known = { viewer: null, traceparent: null, stages: null, aborted: false }
  onServed?.({ id, at: Date.now(), method: '-', path: '-', status, milliseconds: 0, bytes, address, ...known })
}

/** The same as a reply, for what is found out when there is a request already. */
export function malformedReply(reason: MalformedReason): HttpReply {
  const { status, title, message } = reasons[reason]
  const body = problemDocument({ status, title, message, code: 'BAD_REQUEST', problems: [] })
  return {
    status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
    body: JSON.stringify(body),
  }
}

type ParserError = NodeJS.ErrnoException & { rawPacket?: Uint8Array }

export type MalformedReason = keyof typeof reasons

const reasons = {
  malformed: { status: 400, title: 'Bad Request', message: 'This is not HTTP/1.1 as RFC 9112 has it.' },
  missing_host: {
    status: 400,
    title: 'Bad Request',
    message: 'A request of HTTP/1.1 has a Host header (RFC 9112, 3.2).',
  },
  timeout: { status: 408, title: 'Request Timeout', message: 'The request did not come in time.' },
  url_too_long: {
    status: 414,
    title: 'URI Too Long',
    message: 'The URL is longer than the setting limits.urlBytes allows.',
  },
  expectation: { status: 417, title: 'Expectation Failed', message: 'Only Expect: 100-continue is understood.' },
  header_too_large: {
    status: 431,
    title: 'Request Header Fields Too Large',
    message: 'The header is larger than the setting limits.headerBytes allows.',
  },
}

function reasonOf({ code, rawPacket }: ParserError, longest: number): MalformedReason {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'timeout'
  if (code !== 'HPE_HEADER_OVERFLOW') return 'malformed'
  // The parser counts the request line as a part of the header, and does not say which was too much.
  const [line = ''] = Buffer.from(rawPacket ?? [])
    .toString('latin1')
    .split('\r\n', 1)
  return /^[A-Z]+ \//.test(line) && line.length > longest ? 'url_too_long' : 'header_too_large'
}
