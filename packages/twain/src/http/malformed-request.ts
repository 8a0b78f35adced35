// Answers what is not a valid HTTP request, arrives too slowly, or uses a part of HTTP that this server does not have. If no request
// could be parsed, the reply is written to the socket, which then closes; the metrics count the reason, and the log gets an entry as
// for requests.

import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { uuidv7 } from '#base'
import type { HttpReply } from '#base/http'
import { wallTime } from '#base/time'
import type { Metrics } from './metrics.ts'
import { formatProblem, type RefusedRequest } from './reply/problem.ts'
import type { ServedRequest } from './request/served-request.ts'

interface MalformedRequestContext {
  /** The maximum length of a URL, in characters. */
  url: number
  metrics: Metrics | null
  onServed: ((served: ServedRequest) => void) | null
}

/** Node's error for bytes that it could not parse, or that did not arrive in time. */
export type ParserError = NodeJS.ErrnoException & { rawPacket?: Uint8Array; bytesParsed?: number }

export function answerMalformed(error: ParserError, socket: Socket, context: MalformedRequestContext): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const head = headOf(error)
  answerOnSocket(reasonOf(error, head, context.url), readHead(head), socket, context)
}

/** Writes the reply and closes the connection. `instance` is the id of the request if its path is not known. */
export function answerOnSocket(
  reason: MalformedReason,
  request: RefusedRequest,
  socket: Socket,
  { metrics, onServed }: MalformedRequestContext,
): void {
  const id = uuidv7()
  const reply = malformedReply(reason, request, request.path === '' ? id : undefined)
  writeOnSocket(socket, { ...reply, headers: { ...reply.headers, 'x-request-id': id } }, malformedTitle(reason))
  metrics?.malformed(reason)
  const { status, body } = reply
  const bytes = Buffer.byteLength(body as string)
  const address = socket.remoteAddress ?? ''
  const known = { viewer: null, traceparent: null, stages: null, aborted: false }
  onServed?.({ id, at: wallTime(), method: '-', path: '-', status, milliseconds: 0, bytes, address, ...known })
}

/** A reply with a text to a socket that no HTTP response of Node owns. */
export function writeOnSocket(socket: Pick<Duplex, 'end'>, { status, headers, body }: HttpReply, title: string): void {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nconnection: close\r\n${fields.join('')}` +
      `content-length: ${Buffer.byteLength(body as string)}\r\n\r\n${body}`,
  )
}

/** The same as a reply, for a mistake that the server finds after the request was parsed. */
export function malformedReply(reason: MalformedReason, request: RefusedRequest, id?: string): HttpReply {
  const source = { ...reasons[reason], code: 'BAD_REQUEST', problems: [], headers: {} }
  return formatProblem(source, request, id)
}

export function malformedTitle(reason: MalformedReason): string {
  return reasons[reason].title
}

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
  several_authorizations: {
    status: 400,
    title: 'Bad Request',
    message: 'A request has one Authorization header (RFC 9110, 11.6.2).',
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
  upgrade: {
    status: 426,
    title: 'Upgrade Required',
    message: 'WebSockets have version 13 here (RFC 6455).',
  },
  unknown_method: {
    status: 501,
    title: 'Not Implemented',
    message: 'This server has no such method; it has GET, HEAD, POST, PUT, PATCH, DELETE and OPTIONS.',
  },
  unknown_version: {
    status: 505,
    title: 'HTTP Version Not Supported',
    message: 'This server speaks HTTP/1.1.',
  },
}

/** RFC 9110, 9.1: a method that no resource has is 501, one that this resource does not have is 405. */
export const implementedMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])

function reasonOf({ code }: ParserError, head: string, maxUrlLength: number): MalformedReason {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'timeout'
  if (code === 'HPE_INVALID_METHOD') return requestLine.test(head) ? 'unknown_method' : 'malformed'
  if (code !== 'HPE_HEADER_OVERFLOW') return 'malformed'
  // The parser counts the request line as part of the header and does not report which of the two was too long.
  const [line = ''] = head.split('\r\n', 1)
  return /^[A-Z]+ \//.test(line) && line.length > maxUrlLength ? 'url_too_long' : 'header_too_large'
}

/** RFC 9112, 3: a method is any token. */
const requestLine = /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.[01]\r?\n/

/** The packet from the beginning of the line in which the parser failed: usually the whole head of the request. */
function headOf({ rawPacket, bytesParsed = 0, code }: ParserError): string {
  const text = Buffer.from(rawPacket ?? []).toString('latin1')
  return code === 'HPE_INVALID_METHOD' ? text.slice(text.lastIndexOf('\n', bytesParsed - 1) + 1) : text
}

/** Its path and `Accept`, as far as they arrived in one packet. */
function readHead(head: string): RefusedRequest {
  const path = /^\S+ (\/[^\s?]*)/.exec(head)?.[1] ?? ''
  const accept = /\r\naccept:[ \t]*([^\r\n]*)\r\n/i.exec(head)?.[1]
  return { path, headers: { accept } }
}
