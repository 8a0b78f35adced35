// What is no HTTP, or comes too slowly: told in one raw reply, since there is no request to reply to, then closed.

import type { Duplex } from 'node:stream'
import { problemDocument } from '#base'

export function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, title, message] = reasons[error.code ?? ''] ?? malformed
  const told = { title, status, message, code: 'BAD_REQUEST', problems: [] }
  const body = JSON.stringify(problemDocument(told))
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nconnection: close\r\ncontent-type: application/problem+json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

type Reason = readonly [status: number, title: string, detail: string]

const malformed: Reason = [400, 'Bad Request', 'This is not HTTP/1.1 as RFC 9112 has it.']

const reasons: Record<string, Reason> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The header is larger than 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request did not come in time.'],
}
