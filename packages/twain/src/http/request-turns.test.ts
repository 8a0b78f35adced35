import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestTurns } from './request-turns.ts'

test('networks take turns, then the connections of each, and the requests of a connection keep their order', () => {
  const turns = new RequestTurns<{ network: string; connection: object; name: string }>()
  const [c1, c2, c3] = [{}, {}, {}]
  for (const [network, connection, name] of [
    ['a', c1, 'a1'],
    ['a', c1, 'a2'],
    ['a', c2, 'a3'],
    ['a', c1, 'a4'],
    ['b', c3, 'b1'],
    ['b', c3, 'b2'],
  ] as const) {
    turns.push({ network, connection, name })
  }

  const names = Array.from({ length: 6 }, () => turns.take().name)

  assert.deepEqual(names, ['a1', 'b1', 'a3', 'b2', 'a2', 'a4'])
  assert.equal(turns.count, 0)
  assert.throws(() => turns.take())
})
