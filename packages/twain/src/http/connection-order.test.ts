import { deepStrictEqual, strictEqual } from 'node:assert'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { ConnectionOrder, type OrderedRequest } from './connection-order.ts'

/** Counts how often it was paused, as node:http resumes it against our will. */
class FakeSocket extends EventEmitter {
  isPaused = false
  isDestroyed = false
  destroy() {
    this.isDestroyed = true
  }
  pause() {
    this.isPaused = true
  }
  resume() {
    this.isPaused = false
    this.emit('resume')
  }
}

/** A connection whose requests note when they begin: `r` and `w` in their names are reads and writes. */
function connection(all = { waiting: 0 }) {
  const began: string[] = []
  const socket = new FakeSocket()
  const order = new ConnectionOrder(socket, all)
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

test('four reads of a connection are open at most', () => {
  const { began, order, enter } = connection()
  const [first] = Array.from({ length: 6 }, (_, n) => enter(`r${n}`))
  deepStrictEqual(began, ['r0', 'r1', 'r2', 'r3'])
  order.answered(first!)
  deepStrictEqual(began, ['r0', 'r1', 'r2', 'r3', 'r4'])
})

test('while the client has not taken a megabyte of answers no request begins, until it has taken them or has gone', () => {
  const { began, order, enter } = connection()
  const first = enter('r1')
  enter('w2')
  order.unsent(1_100_000)
  order.answered(first)
  enter('r3')
  deepStrictEqual(began, ['r1'])
  order.taken(1_100_000)
  deepStrictEqual(began, ['r1', 'w2'])

  const gone = connection()
  gone.order.unsent(1_100_000)
  gone.enter('r')
  gone.order.closed()
  deepStrictEqual(gone.began, ['r'])
})

test('where thousands of requests wait, a connection with many of them is closed, and no other', () => {
  const all = { waiting: 0 }
  const [modest, greedy] = [connection(all), connection(all)]
  for (let n = 0; n < 4096; n++) greedy.enter('w')
  deepStrictEqual([all.waiting, greedy.socket.isDestroyed], [4095, false])
  for (let n = 0; n < 33; n++) modest.enter('w')
  greedy.enter('w')
  deepStrictEqual([modest.socket.isDestroyed, greedy.socket.isDestroyed], [false, true])
})

test('the requests that wait on all connections are counted', () => {
  const all = { waiting: 0 }
  const { order, enter } = connection(all)
  const [w1, w2] = [enter('w'), enter('w'), enter('w')]
  strictEqual(all.waiting, 2)
  order.answered(w2!)
  strictEqual(all.waiting, 1)
  order.answered(w1!)
  strictEqual(all.waiting, 0)
})
