import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventStream } from './event-stream.ts'

test('what waits for a client that does not read counts, until it is taken or the client has gone', async () => {
  const stream = new EventStream<string>((event) => `data: ${event}\n\n`, 0)
  const start = () =>
    stream.start(
      { stop() {} },
      () => '',
      () => {},
    )
  const parts = start()[Symbol.asyncIterator]()
  stream.receive(['one', 'two'])
  assert.equal(stream.waitingSize, 22)
  assert.equal((await parts.next()).value, 'data: one\n\ndata: two\n\n')
  assert.equal(stream.waitingSize, 0)
  stream.receive(['three'])
  await parts.return?.()
  assert.equal(stream.waitingSize, 0)
})
