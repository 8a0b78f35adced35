import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { drawStateMachines } from './states-part.ts'

test('each state field is a diagram with its start, its transitions with their actors and conditions, and its ends', () => {
  const sdl = `
    type User @account { id: ID! email: String! @unique }
    type Order { id: ID! by: User note: String status: Status! }
    enum Status {
      CART @next(to: [PLACED, end], who: "by", where: {note: {eq: "a: b"}})
      PLACED @next(to: [end], role: "cashier") @next(to: [CART])
      end
    }`
  assert.equal(
    drawStateMachines(loadModel(sdl, 'test.graphql')),
    [
      '## Order.status',
      '',
      '```mermaid',
      'stateDiagram-v2',
      '  state "CART" as s_CART',
      '  state "PLACED" as s_PLACED',
      '  state "end" as s_end',
      '  [*] --> s_CART',
      '  s_CART --> s_PLACED : by, where note = "a  b"',
      '  s_CART --> s_end : by, where note = "a  b"',
      '  s_PLACED --> s_end : role cashier',
      '  s_PLACED --> s_CART',
      '  s_end --> [*]',
      '```',
      '',
    ].join('\n'),
  )
  assert.equal(drawStateMachines(loadModel('type A { id: ID! }', 'test.graphql')), '')
})
