// Requests that a client sends on one connection before it has the first answer (RFC 9112, 9.3.2).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { TestService } from '../harness/test-service.ts'

const sdl = 'type Counter @allow { id: ID! n: Int! }'

function request(method: string, path: string, body = '', header = ''): string {
  const type = body === '' ? '' : `content-type: application/json\r\ncontent-length: ${body.length}\r\n`
  return `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${type}${header}\r\n${body}`
}

test('pipelined writes of one row are made in order, and a read behind them sees the last', async (t) => {
  const service = await TestService.open(t, sdl)
  const writes = Array.from({ length: 20 }, (_, n) => request('PUT', '/counters/a', `{"n":${n}}`))
  const socket = connect(Number(new URL(service.address).port), '127.0.0.1')
  socket.write(
    [
      ...writes,
      request('GET', '/counters/a'),
      request('DELETE', '/counters/a'),
      request('GET', '/counters/a', '', 'connection: close\r\n'),
    ].join(''),
  )
  const replies = await text(socket)
  const statuses = [...replies.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)
  assert.deepEqual(statuses, ['201', ...Array(19).fill('200'), '200', '204', '404'])
  const values = [...replies.matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n))
  assert.deepEqual(values, [...writes.keys(), 19])
})
