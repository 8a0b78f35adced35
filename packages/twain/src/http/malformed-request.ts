// Answers bytes that are not a valid HTTP request, or that arrive too slowly, with a raw reply, and closes the connection. The
// metrics count the reason, and the log gets an entry as for requests.

import type { Socket } from 'node:net'
import { type HttpReply, problemDocument } from '#base/http'
import type { Metrics } from './metrics.ts'
import { requestId } from './request/request-id.ts'
import type { ServedRequest } from './request/served-request.ts'

interface MalformedRequestContext {
  /** The maximum length of a URL, in characters. */
  url: number
  metrics: Metrics | null
  onServed: ((served: ServedRequest) => void) | null
}

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

/** The same as a reply, for a mistake that the server finds after the request was parsed. */
export function malformedReply(reason: MalformedReason): HttpReply {
  const { status, title, message } = reasons[reason]
  const body = problemDocument({ status, title, message, code: 'BAD_REQUEST', problems: [] })
  return {
    status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
    body: JSON.stringify(body),
  }
}

export function malformedTitle(reason: MalformedReason): string {
  return reasons[reason].title
}

type ParserError = NodeJS.ErrnoException & { rawPacket?: Uint8Array }

export type MalformedReason = keyof typeof reasons

const reasons = {
  malformed: { status: 400, title: 'Bad Request', message: 'This is not a valid HTTP/1.1 request (RFC 9112).' },
  missing_host: {
    status: 400,
    title: 'Bad Request',
    message: 'An HTTP/1.1 request needs a Host header (RFC 9112, 3.2).',
  },
  several_hosts: {
    status: 400,
    title: 'Bad Request',
    message: 'A request has one Host header (RFC 9112, 3.2).',
  },
  wrong_host: {
    status: 421,
    title: 'Misdirected Request',
    message:
      'This server does not have the name that the Host header gives. If it should, add its address to the setting http.origin.',
  },
  timeout: { status: 408, title: 'Request Timeout', message: 'The request arrived too slowly.' },
  url_too_long: {
    status: 414,
    title: 'URI Too Long',
    message: 'The URL is longer than the setting limits.urlBytes allows.',
  },
  expectation: { status: 417, title: 'Expectation Failed', message: 'Only Expect: 100-continue is supported.' },
  header_too_large: {
    status: 431,
    title: 'Request Header Fields Too Large',
    message: 'The header is larger than the setting limits.headerBytes allows.',
  },
}

function reasonOf({ code, rawPacket }: ParserError, maxUrlLength: number): MalformedReason {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'timeout'
  if (code !== 'HPE_HEADER_OVERFLOW') return 'malformed'
  // The parser counts the request line as part of the header and does not report which of the two was too long.
  const [line = ''] = Buffer.from(rawPacket ?? [])
    .toString('latin1')
    .split('\r\n', 1)
  return /^[A-Z]+ \//.test(line) && line.length > maxUrlLength ? 'url_too_long' : 'header_too_large'
}
