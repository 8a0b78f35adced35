// The messages of a server, split and combined in every way, and messages that break the protocol: a connection without a
// network, where each test chooses which bytes arrive together. `read-connection.test.ts` has the real server.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { connectWire, type FakeWire } from '../connect/fake-wire.fixture.ts'
import { ReadConnection } from './read-connection.ts'
import {
  asyncMessages,
  bound,
  columns,
  complete,
  error,
  int32,
  message,
  parsed,
  ready,
  row,
} from './server-messages.fixture.ts'

const text = 25
const integer = 23

/** One connection and its state. */
async function open() {
  const { wire, client } = await connectWire()
  let isLost = false
  let free = 0
  const owner = { onFree: () => free++, onLost: () => (isLost = true) }
  const reading = new ReadConnection(client, owner)
  const query = (sql = 'SELECT') =>
    new Promise<unknown[][]>((answered, failed) =>
      reading.send({ sql, parameters: [], onRows: answered, onError: failed }),
    )
  const receive = (...parts: Buffer[]) => {
    for (const part of parts) wire.push(part)
  }
  return { wire, query, receive, state: () => ({ isLost, free }) }
}

const texts = ['', 'x', 'ä€😀\n', 'e\u0301', '\u{10ffff}\u0800']
const answer = [parsed, message('t', Buffer.alloc(2)), columns(text, integer), bound]
const rows = texts.map((one, at) => [one, at % 2 === 0 ? at : null] as const)
const whole = [...answer, ...rows.map(([one, at]) => row(one, at === null ? null : String(at))), complete, ready]

describe('a result is the same however its bytes arrive', () => {
  test('split at every byte', async () => {
    const bytes = Buffer.concat(whole)
    for (let at = 1; at < bytes.length; at++) {
      const { query, receive, state } = await open()
      const pending = query()
      receive(bytes.subarray(0, at), bytes.subarray(at))
      assert.deepEqual(await pending, rows)
      assert.deepEqual(state(), { isLost: false, free: 1 })
    }
  })

  test('in small pieces, and with notices, settings and notifications between any two messages', async () => {
    const bytes = Buffer.concat(whole.flatMap((message) => [...asyncMessages, message, ...asyncMessages]))
    for (const size of [1, 2, 3, 7, 64, bytes.length]) {
      const { query, receive } = await open()
      const pending = query()
      for (let at = 0; at < bytes.length; at += size) receive(bytes.subarray(at, at + size))
      assert.deepEqual(await pending, rows)
    }
  })

  test('without rows, without columns, without a statement, and with a row of 50 MB', async () => {
    const { query, receive } = await open()
    const long = 'é'.repeat(25_000_000)
    const answers: [Buffer[], unknown[][]][] = [
      [[parsed, columns(text), bound, complete, ready], []],
      [
        [parsed, columns(), bound, row(), row(), complete, ready],
        [[], []],
      ],
      [[parsed, message('n'), bound, message('I'), ready], []],
      [[parsed, columns(text), bound, row(long), complete, ready], [[long]]],
    ]
    for (const [index, [messages, rows]] of answers.entries()) {
      const pending = query(`SELECT ${index}`)
      const bytes = Buffer.concat(messages)
      for (let at = 0; at < bytes.length; at += 65_536) receive(bytes.subarray(at, at + 65_536))
      assert.deepEqual(await pending, rows)
    }
  })
})

test('an error at any message fails its query, and the next is answered', async () => {
  for (let at = 0; at < whole.length; at++) {
    const { query, receive, state } = await open()
    const pending = query()
    receive(Buffer.concat([...whole.slice(0, at), error('22012'), ready]))
    await assert.rejects(pending, { code: '22012' })
    const next = query()
    receive(Buffer.concat(whole))
    assert.deepEqual(await next, rows)
    assert.equal(state().isLost, false)
  }
})

test('a server that disconnects at any byte fails the query, with the error of the server if it sent one', async () => {
  const bytes = Buffer.concat(whole)
  for (let at = 0; at < bytes.length; at++) {
    for (const end of [(wire: FakeWire) => wire.push(null), (wire: FakeWire) => wire.destroy(new Error('reset'))]) {
      const { wire, query, receive, state } = await open()
      const pending = assert.rejects(query(), { code: 'CONNECTION_CLOSED' })
      receive(bytes.subarray(0, at))
      setImmediate(() => end(wire))
      await pending
      assert.deepEqual(state(), { isLost: true, free: 0 })
    }
  }
  const { wire, query, receive } = await open()
  const pending = assert.rejects(query(), { code: '57P01' })
  receive(Buffer.concat([...whole.slice(0, 6), error('57P01', 'FATAL')]))
  wire.push(null)
  await pending
})

describe('a connection whose server breaks the protocol is closed, and its query fails', () => {
  const huge = Buffer.concat([Buffer.from('D'), int32(0x7fffffff)])
  const wrong: [string, Buffer[]][] = [
    ['a row first', [row('x', '1')]],
    ['ready first', [ready]],
    ['ready without the end of the rows', [...whole.slice(0, 6), ready]],
    ['the result twice', [...whole, ...whole.slice(3)]],
    ['ready twice', [...whole, ready]],
    ['an error after the result', [...whole, error('57P01', 'FATAL')]],
    ['a transaction that stays open', [...whole.slice(0, -1), message('Z', 'T')]],
    ['a failed transaction', [...answer, error('25P02'), message('Z', 'E')]],
    ['rows after the end', [...whole.slice(0, -1), row('x', '1')]],
    ['fewer values than columns', [...answer, row('x')]],
    ['more values than columns', [...answer, row('x', '1', '2')]],
    ['a value longer than its row', [...answer, message('D', '\0\x02', int32(99), 'x', int32(-1)), complete, ready]],
    ['a value with a negative length', [...answer, message('D', '\0\x02', int32(-2), int32(-1)), complete, ready]],
    ['an empty row', [...answer, message('D')]],
    ['incomplete columns', [parsed, message('T', '\0\x02', 'a')]],
    ['an incomplete error', [parsed, message('E', 'Sx'), ready]],
    ['an empty error', [parsed, message('E'), ready]],
    ['a length that is too short', [...answer, Buffer.from('D\0\0\0\x03')]],
    ['a negative length', [...answer, Buffer.concat([Buffer.from('D'), int32(-1)])]],
    ['a length of 2 GiB', [...answer, huge]],
    ['COPY out', [...answer, message('H', Buffer.alloc(3)), message('d', 'x')]],
    ['COPY in', [...answer, message('G', Buffer.alloc(3))]],
    ['suspended rows', [...whole.slice(0, 6), message('s')]],
    ['another startup message', [message('R', int32(0))]],
    ['an HTTP response', [Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')]],
    ['only zeros', [Buffer.alloc(64)]],
  ]
  for (const [title, messages] of wrong)
    test(title, async () => {
      for (const size of [1, Number.POSITIVE_INFINITY]) {
        const { wire, query, receive, state } = await open()
        // A result that ends before the wrong message arrives is still a result.
        const pending = query()
        const bytes = Buffer.concat(messages)
        for (let at = 0; at < bytes.length; at += Math.min(size, bytes.length)) receive(bytes.subarray(at, at + size))
        const outcome = await pending.catch(({ code }) => code)
        if (size === 1 && title.match(/twice|after the result/)) assert.deepEqual(outcome, rows)
        else assert.match(outcome, /^(08P01|57P01|25P02)$/)
        assert.equal(wire.destroyed, true)
        assert.equal(state().isLost, true)
      }
    })
})

test('two connections never use the same statement name, and a deallocated statement is prepared once more', async () => {
  const [one, other] = [await open(), await open()]
  for (const { query, receive } of [one, other]) {
    const pending = query()
    receive(...whole)
    await pending
  }
  assert.notDeepEqual(one.wire.written, other.wire.written)
  for (const { query, receive, wire } of [one, other]) {
    const before = wire.written.length
    const pending = query()
    receive(error('26000'), ready)
    receive(...whole)
    assert.deepEqual(await pending, rows)
    assert.equal(wire.written.length, before + 2)
    const again = query('DELETE')
    receive(error('26000'), ready)
    await assert.rejects(again, { code: '26000' })
  }
})
