// The results of several queries in one round trip, and a server that breaks the protocol: it ends this connection, and nothing
// else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QueryRows } from '../../sql/query.ts'
import { connectWire } from '../connect/fake-wire.fixture.ts'
import { values } from '../connect/queries.ts'
import { bound, columns, complete, error, int32, message, parsed, ready, row } from '../read/server-messages.fixture.ts'
import { WriteBatch, type WriteStatement } from './write-batch.ts'

const [text, truth] = [25, 16]
const described = [parsed, message('t', Buffer.alloc(2))]
const first = [...described, message('n'), bound, complete]
const second = [...described, columns(text, truth), bound, row('ä', 't'), row(null, 'f'), complete]
const inTransaction = message('Z', 'T')

async function send(...queries: string[]) {
  const { wire, client } = await connectWire()
  const received: QueryRows[] = []
  const seen: unknown[] = []
  client.on('error', ({ code }) => seen.push(['lost', code]))
  const statements = new Map<string, WriteStatement>()
  const statementOf = (sql: string) => {
    const statement = statements.get(sql) ?? { name: `s${statements.size}`, isPrepared: false, columns: [] }
    statements.set(sql, statement)
    return statement
  }
  const owner = {
    onProgress: () => undefined,
    onFailure: ({ code }: Error & { code?: string }, index: number) => void seen.push(['failed', code, index]),
    onReady: (isOpen: boolean) => void seen.push(isOpen ? 'open' : 'ready'),
  }
  const batch = new WriteBatch(
    queries.map((sql) => ({ sql, parameters: [] })),
    received,
    statementOf,
    owner,
  )
  client.query(batch)
  return { wire, received, seen, batch }
}

test('the rows of each query arrive in its place, however the bytes are split', async () => {
  const bytes = Buffer.concat([...first, ...second, ready])
  for (let at = 1; at < bytes.length; at++) {
    const { wire, received, seen } = await send('BEGIN', 'SELECT')
    assert.equal(wire.written.length, 1, 'one piece')
    wire.push(bytes.subarray(0, at))
    wire.push(bytes.subarray(at))
    assert.deepEqual(
      [received, seen],
      [
        [
          [],
          [
            ['ä', 1],
            [null, 0],
          ],
        ],
        ['ready'],
      ],
    )
  }
})

test('the results before the last query arrive before it has ended', async () => {
  const { wire, received } = await send('BEGIN', 'SELECT', 'COMMIT')
  const sent = Buffer.concat(wire.written)
  const flush = sent.indexOf(Buffer.from([0x48, 0, 0, 0, 4]))
  assert.ok(flush > sent.indexOf('SELECT') && flush < sent.indexOf('COMMIT'))
  wire.push(Buffer.concat([...first, ...second]))
  assert.equal(received.length, 2)
})

test('an error at any message names the query, and the statements that the server may lack', async () => {
  const all = [...first, ...second]
  for (let at = 0; at <= all.length; at++) {
    const { wire, seen, batch } = await send('BEGIN', 'SELECT')
    wire.push(Buffer.concat([...all.slice(0, at), error('22012'), message('Z', 'E')]))
    const index = at < first.length ? 0 : at < all.length ? 1 : 2
    assert.deepEqual(seen, [['failed', '22012', index], 'open'])
    assert.deepEqual(batch.unfinished(), ['BEGIN', 'SELECT'].slice(index))
  }
})

test('a server that breaks the protocol is disconnected', async () => {
  const wrong: Buffer[][] = [
    [ready],
    [...first, inTransaction],
    [...first, ...second, ...second],
    [...first, row('x')],
    [...first, ...second.slice(0, 4), row('x')],
    [...first, ...described, columns(text, truth), bound, message('D', '\0\x02', int32(99), 'x', int32(-1))],
    [message('E')],
    [message('E', 'Sx')],
    [message('T', '\0\x02', 'a')],
    [Buffer.from('D\0\0\0\x03')],
    [Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    [Buffer.alloc(64)],
  ]
  for (const messages of wrong) {
    const { wire, seen } = await send('BEGIN', 'SELECT')
    wire.push(Buffer.concat(messages))
    assert.equal(wire.destroyed, true)
    assert.deepEqual(seen[0], ['lost', '08P01'])
    assert.ok(!seen.includes('ready') && !seen.includes('open'))
  }
})

test('any changed byte of an answer ends in rows or an error, never in the end of the process', async () => {
  const bytes = Buffer.concat([columns(text, truth), row('value', 't'), complete, error('22012'), ready])
  for (const at of bytes.keys()) {
    for (const change of [0, 1, 0x7f, 0xff, bytes[at]! ^ 0x20]) {
      const { wire, client } = await connectWire()
      client.on('error', () => undefined)
      const outcome = values(client, 'SELECT').then(
        () => 'rows',
        ({ code }) => code,
      )
      const changed = Buffer.from(bytes)
      changed[at] = change
      wire.push(changed)
      wire.destroy()
      assert.equal(typeof (await outcome), 'string')
    }
  }
})
