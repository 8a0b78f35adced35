import { deepStrictEqual, strictEqual } from 'node:assert'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { RequestSlices } from './request-slices.ts'

/** Requests that take so many milliseconds each, by default half of a slice, and note their number. */
function slow(milliseconds = 2, hasResults = () => false) {
  let now = 0
  const handled: number[] = []
  const slices = new RequestSlices(hasResults, () => now)
  const take = (number: number) =>
    slices.take({
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
  for (let number = 0; number < 1000; number++) take(number)
  strictEqual(handled.length, 1000 - 256)
  while (handled.length < 1000) await nextTurn()
  deepStrictEqual(handled, [...handled.keys()])
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

test('a slice ends after eight requests if results of writes wait', async () => {
  let hasResults = false
  const { handled, take } = slow(0.1, () => hasResults)
  for (let number = 0; number < 20; number++) take(number)
  strictEqual(handled.length, 20)
  await nextTurn()
  hasResults = true
  for (let number = 20; number < 45; number++) take(number)
  strictEqual(handled.length, 28)
  await nextTurn()
  strictEqual(handled.length, 36)
  hasResults = false
  await nextTurn()
  deepStrictEqual(handled, [...Array(45).keys()])
})
