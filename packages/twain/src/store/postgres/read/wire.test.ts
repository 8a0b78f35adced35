// What a server says, cut and put together in every way, and what none should say: a line over a wire without a network, where every
// test says which bytes come together. `line.test.ts` has the real server.

import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { describe, test } from 'node:test'
import { asides, bound, columns, complete, error, int32, parsed, ready, row, said } from './server-messages.fixture.ts'
import { WireConnection } from './wire-connection.ts'

/** The side of a line that has the socket; the test is the server. */
class Wire extends Duplex {
  written: Buffer[] = []
  override _read(): void {}
  override _write(bytes: Buffer, _: unknown, done: () => void): void {
    this.written.push(bytes)
    done()
  }
}

const text = 25
const integer = 23

/** One line and what becomes of it. */
function open() {
  const wire = new Wire()
  let isLost = false
  let free = 0
  const owner = { onFree: () => free++, onLost: () => (isLost = true) }
  const line = new WireConnection(wire as unknown as Socket, owner, Buffer.alloc(0))
  const ask = (sql = 'SELECT') =>
    new Promise<unknown[][]>((answered, failed) =>
      line.send({ sql, parameters: [], onRows: answered, onError: failed }),
    )
  const say = (...parts: Buffer[]) => {
    for (const part of parts) wire.push(part)
  }
  return { wire, line, ask, say, state: () => ({ isLost, free }) }
}

const texts = ['', 'x', 'ä€😀\n', 'e\u0301', '\u{10ffff}\u0800']
const answer = [parsed, said('t', Buffer.alloc(2)), columns(text, integer), bound]
const rows = texts.map((one, at) => [one, at % 2 === 0 ? at : null] as const)
const whole = [...answer, ...rows.map(([one, at]) => row(one, at === null ? null : String(at))), complete, ready]

describe('an answer is the same however it is cut', () => {
  test('at every byte', async () => {
    const bytes = Buffer.concat(whole)
    for (let at = 1; at < bytes.length; at++) {
      const { ask, say, state } = open()
      const asked = ask()
      say(bytes.subarray(0, at), bytes.subarray(at))
      assert.deepEqual(await asked, rows)
      assert.deepEqual(state(), { isLost: false, free: 1 })
    }
  })

  test('into bytes, and with notices, settings and notifications between any two messages', async () => {
    const bytes = Buffer.concat(whole.flatMap((message) => [...asides, message, ...asides]))
    for (const size of [1, 2, 3, 7, 64, bytes.length]) {
      const { ask, say } = open()
      const asked = ask()
      for (let at = 0; at < bytes.length; at += size) say(bytes.subarray(at, at + size))
      assert.deepEqual(await asked, rows)
    }
  })

  test('no rows, no columns, no statement, one row of 50 MB', async () => {
    const { ask, say } = open()
    const long = 'é'.repeat(25_000_000)
    const answers: [Buffer[], unknown[][]][] = [
      [[parsed, columns(text), bound, complete, ready], []],
      [
        [parsed, columns(), bound, row(), row(), complete, ready],
        [[], []],
      ],
      [[parsed, said('n'), bound, said('I'), ready], []],
      [[parsed, columns(text), bound, row(long), complete, ready], [[long]]],
    ]
    for (const [index, [messages, rows]] of answers.entries()) {
      const asked = ask(`SELECT ${index}`)
      const bytes = Buffer.concat(messages)
      for (let at = 0; at < bytes.length; at += 65_536) say(bytes.subarray(at, at + 65_536))
      assert.deepEqual(await asked, rows)
    }
  })
})

test('an error ends its question, wherever it comes, and the next is answered', async () => {
  for (let at = 0; at < whole.length; at++) {
    const { ask, say, state } = open()
    const asked = ask()
    say(Buffer.concat([...whole.slice(0, at), error('22012'), ready]))
    await assert.rejects(asked, { code: '22012' })
    const next = ask()
    say(Buffer.concat(whole))
    assert.deepEqual(await next, rows)
    assert.equal(state().isLost, false)
  }
})

test('a server that goes at any byte fails the question, and says why if it can', async () => {
  const bytes = Buffer.concat(whole)
  for (let at = 0; at < bytes.length; at++) {
    for (const end of [(wire: Wire) => wire.push(null), (wire: Wire) => wire.destroy(new Error('reset'))]) {
      const { wire, ask, say, state } = open()
      const asked = assert.rejects(ask(), { code: 'CONNECTION_CLOSED' })
      say(bytes.subarray(0, at))
      setImmediate(() => end(wire))
      await asked
      assert.deepEqual(state(), { isLost: true, free: 0 })
    }
  }
  const { wire, ask, say } = open()
  const asked = assert.rejects(ask(), { code: '57P01' })
  say(Buffer.concat([...whole.slice(0, 6), error('57P01', 'FATAL')]))
  wire.push(null)
  await asked
})

describe('a line whose server says what does not belong to the answer is ended, and answers nobody', () => {
  const huge = Buffer.concat([Buffer.from('D'), int32(0x7fffffff)])
  const wrong: [string, Buffer[]][] = [
    ['a row before all', [row('x', '1')]],
    ['ready before all', [ready]],
    ['ready after rows that do not end', [...whole.slice(0, 6), ready]],
    ['the answer twice', [...whole, ...whole.slice(3)]],
    ['ready twice', [...whole, ready]],
    ['an error behind the answer', [...whole, error('57P01', 'FATAL')]],
    ['a transaction that stays open', [...whole.slice(0, -1), said('Z', 'T')]],
    ['a failed transaction', [...answer, error('25P02'), said('Z', 'E')]],
    ['rows after the end', [...whole.slice(0, -1), row('x', '1')]],
    ['fewer values than columns', [...answer, row('x')]],
    ['more values than columns', [...answer, row('x', '1', '2')]],
    ['a value longer than its row', [...answer, said('D', '\0\x02', int32(99), 'x', int32(-1)), complete, ready]],
    ['a value of a length below none', [...answer, said('D', '\0\x02', int32(-2), int32(-1)), complete, ready]],
    ['an empty row', [...answer, said('D')]],
    ['columns that are cut off', [parsed, said('T', '\0\x02', 'a')]],
    ['an error that does not end', [parsed, said('E', 'Sx'), ready]],
    ['an empty error', [parsed, said('E'), ready]],
    ['a length that is none', [...answer, Buffer.from('D\0\0\0\x03')]],
    ['a length below none', [...answer, Buffer.concat([Buffer.from('D'), int32(-1)])]],
    ['a length of 2 GiB', [...answer, huge]],
    ['COPY out', [...answer, said('H', Buffer.alloc(3)), said('d', 'x')]],
    ['COPY in', [...answer, said('G', Buffer.alloc(3))]],
    ['part of the rows', [...whole.slice(0, 6), said('s')]],
    ['another greeting', [said('R', int32(0))]],
    ['a page of a web server', [Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')]],
    ['nothing but zeros', [Buffer.alloc(64)]],
  ]
  for (const [title, messages] of wrong)
    test(title, async () => {
      for (const size of [1, Number.POSITIVE_INFINITY]) {
        const { wire, ask, say, state } = open()
        // What has ended when it comes bit by bit is an answer; then it is the next that has none.
        const asked = ask()
        const bytes = Buffer.concat(messages)
        for (let at = 0; at < bytes.length; at += Math.min(size, bytes.length)) say(bytes.subarray(at, at + size))
        const came = await asked.catch(({ code }) => code)
        if (size === 1 && title.match(/twice|behind/)) assert.deepEqual(came, rows)
        else assert.match(came, /^(08P01|57P01|25P02)$/)
        assert.equal(wire.destroyed, true)
        assert.equal(state().isLost, true)
      }
    })
})

test('two lines call no statement by the same name, and one forgotten is prepared once more', async () => {
  const [one, other] = [open(), open()]
  for (const { ask, say } of [one, other]) {
    const asked = ask()
    say(...whole)
    await asked
  }
  assert.notDeepEqual(one.wire.written, other.wire.written)
  for (const { ask, say, wire } of [one, other]) {
    const before = wire.written.length
    const asked = ask()
    say(error('26000'), ready)
    say(...whole)
    assert.deepEqual(await asked, rows)
    assert.equal(wire.written.length, before + 2)
    const again = ask('DELETE')
    say(error('26000'), ready)
    await assert.rejects(again, { code: '26000' })
  }
})
