import { deepStrictEqual, strictEqual } from 'node:assert'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { ConnectionOrder, type OrderedRequest } from './connection-order.ts'

/** Counts how often it was paused, as node:http resumes it against our will. */
class FakeSocket extends EventEmitter {
  isPaused = false
  pause() {
    this.isPaused = true
  }
  resume() {
    this.isPaused = false
    this.emit('resume')
  }
}

/** A connection whose requests note when they begin: `r` and `w` in their names are reads and writes. */
function connection() {
  const began: string[] = []
  const socket = new FakeSocket()
  const order = new ConnectionOrder(socket)
  const enter = (name: string, begin = () => {}): OrderedRequest => {
    const noted = () => {
      began.push(name)
      begin()
    }
    const request: OrderedRequest = { isSafe: name.startsWith('r'), turn: 'none', begin: noted }
    if (order.enter(request)) noted()
    return request
  }
  return { began, socket, order, enter }
}

test('a write waits for all earlier requests, and all later ones wait for it', () => {
  const { began, order, enter } = connection()
  const [r1, r2, w3, r4, r5] = [enter('r1'), enter('r2'), enter('w3'), enter('r4'), enter('r5')]
  deepStrictEqual(began, ['r1', 'r2'])
  order.answered(r2)
  deepStrictEqual(began, ['r1', 'r2'])
  order.answered(r1)
  deepStrictEqual(began, ['r1', 'r2', 'w3'])
  order.answered(w3)
  deepStrictEqual(began, ['r1', 'r2', 'w3', 'r4', 'r5'])
  const w6 = enter('w6')
  for (const request of [r4, r5]) order.answered(request)
  deepStrictEqual(began.at(-1), 'w6')
  order.answered(w6)
  enter('r7')
  deepStrictEqual(began.at(-1), 'r7')
})

test('a request that is answered before its turn does not begin, and holds nobody up', () => {
  const { began, order, enter } = connection()
  const [r1, w2] = [enter('r1'), enter('w2')]
  enter('r3')
  order.answered(w2)
  deepStrictEqual(began, ['r1', 'r3'])
  order.answered(r1)
  deepStrictEqual(began, ['r1', 'r3'])
})

test('a request that never entered the order, such as a malformed one, changes nothing', () => {
  const { began, order, enter } = connection()
  enter('w1')
  enter('w2')
  order.answered({ isSafe: false, turn: 'none', begin() {} })
  deepStrictEqual(began, ['w1'])
})

test('many requests that are answered as they begin do not fill the stack', () => {
  const { began, order, enter } = connection()
  const first = enter('w')
  for (let n = 0; n < 50_000; n++) {
    const request: OrderedRequest = enter('w', () => order.answered(request))
  }
  order.answered(first)
  strictEqual(began.length, 50_001)
})

test('the connection is not read while more than 32 requests wait, even if node:http resumes it', () => {
  const { socket, order, enter } = connection()
  const requests = Array.from({ length: 33 }, () => enter('w'))
  deepStrictEqual([order.isPaused, socket.isPaused], [false, false])
  requests.push(enter('w'))
  deepStrictEqual([order.isPaused, socket.isPaused], [true, true])
  socket.resume()
  strictEqual(socket.isPaused, true)
  for (const request of requests.splice(0, 17)) order.answered(request)
  deepStrictEqual([order.isPaused, socket.isPaused], [false, false])
  strictEqual(socket.listenerCount('resume'), 0)
})
