import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { RequestSlices } from './request-slices.ts'

/** Requests that take so many milliseconds each, by default half of a slice, and note their number. */
function slow(milliseconds = 2, hasResults = () => false, countConnections = () => 0) {
  let now = 0
  const handled: number[] = []
  const slices = new RequestSlices(hasResults, countConnections, () => now)
  const connection = {}
  const take = (number: number, isWrite = false, network = '192.0.2.1') =>
    slices.take({
      network,
      connection,
      isWrite,
      handle() {
        now += milliseconds
        handled.push(number)
      },
    })
  return { handled, take }
}

test('requests beyond the slice of a turn wait for the next turns, in their order', async () => {
  const { handled, take } = slow()
  for (const number of [1, 2, 3, 4, 5]) take(number)
  deepStrictEqual(handled, [1, 2])
  await nextTurn()
  take(6)
  deepStrictEqual(handled, [1, 2, 3, 4])
  await nextTurn()
  deepStrictEqual(handled, [1, 2, 3, 4, 5, 6])
})

test('where writes and reads wait, they take turns, each in their order', async () => {
  const { handled, take } = slow()
  for (let number = 0; number < 10; number++) take(number, number > 5)
  deepStrictEqual(handled, [0, 1])
  while (handled.length < 10) await nextTurn()
  deepStrictEqual(handled, [0, 1, 6, 2, 7, 3, 8, 4, 9, 5])
  const writes = slow()
  for (let number = 0; number < 6; number++) writes.take(number, true)
  while (writes.handled.length < 6) await nextTurn()
  deepStrictEqual(writes.handled, [0, 1, 2, 3, 4, 5])
})

test('a request that finds no other is handled at once, in every turn', async () => {
  const { handled, take } = slow()
  for (const number of [1, 2, 3]) {
    take(number)
    strictEqual(handled.at(-1), number)
    await nextTurn()
    await nextTurn()
  }
})

test('a flood of requests does not wait in memory', async () => {
  const { handled, take } = slow()
  for (let number = 0; number < 6000; number++) take(number)
  strictEqual(handled.length, 6000 - 4096)
  while (handled.length < 6000) await nextTurn()
  deepStrictEqual(handled, [...handled.keys()])
})

test('a client waits for one request of each other client, however many those have sent', async () => {
  const { handled, take } = slow()
  for (let number = 0; number < 100; number++) take(number)
  take(1000, false, '192.0.2.2')
  while (!handled.includes(1000)) await nextTurn()
  strictEqual(handled.indexOf(1000), 3)
})

test('no slice begins while connections come, for a hundred turns at most', async () => {
  let connections = 0
  const { handled, take } = slow(2, undefined, () => connections)
  for (let number = 0; number < 6; number++) take(number)
  for (let turn = 0; turn < 50; turn++) {
    connections++
    await nextTurn()
  }
  strictEqual(handled.length, 2)
  await nextTurn()
  strictEqual(handled.length, 4)
  for (let turn = 0; handled.length === 4; turn++) {
    ok(turn < 102)
    connections++
    await nextTurn()
  }
})

test('requests that come as fast as they are handled are all handled, in their order', async () => {
  const { handled, take } = slow()
  let next = 0
  for (; next < 10; next++) take(next)
  while (handled.length < 2000) {
    await nextTurn()
    while (next < handled.length + 8) take(next++)
  }
  deepStrictEqual(handled, [...handled.keys()])
})

test('a slice ends after sixteen requests, however short they are', async () => {
  const { handled, take } = slow(0.1)
  for (let number = 0; number < 40; number++) take(number)
  strictEqual(handled.length, 16)
  await nextTurn()
  strictEqual(handled.length, 32)
  await nextTurn()
  deepStrictEqual(handled, [...Array(40).keys()])
})

test('a slice ends after eight requests if results of writes wait', async () => {
  let hasResults = false
  const { handled, take } = slow(0.1, () => hasResults)
  for (let number = 0; number < 12; number++) take(number)
  strictEqual(handled.length, 12)
  await nextTurn()
  hasResults = true
  for (let number = 12; number < 35; number++) take(number)
  strictEqual(handled.length, 20)
  await nextTurn()
  strictEqual(handled.length, 28)
  hasResults = false
  await nextTurn()
  deepStrictEqual(handled, [...Array(35).keys()])
})
