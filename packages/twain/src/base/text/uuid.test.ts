import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededIds, uuidv7 } from './uuid.ts'

test('an id has the form of a UUID of version 7', () => {
  assert.match(uuidv7(), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('ids ascend, also within one millisecond and when the clock goes back', () => {
  const time = Date.now() + 1000
  const ids = Array.from({ length: 20_000 }, (_, index) => uuidv7(time - (index % 3)))

  assert.deepEqual(ids, ids.toSorted())
  assert.equal(new Set(ids).size, ids.length)
})

test('an id begins with the time of its creation', () => {
  const time = Date.now() + 3_600_000
  const id = uuidv7(time)

  assert.equal(Number.parseInt(id.replace('-', '').slice(0, 12), 16), time)
})

test('the ids of a seed ascend, have its time, and are the same again', () => {
  const seed = uuidv7()
  const ids = (from: string) => Array.from({ length: 5000 }, seededIds(from))

  assert.deepEqual(ids(seed), ids(seed))
  assert.deepEqual(ids(seed), ids(seed).toSorted())
  assert.equal(ids(seed)[0]!.slice(0, 13), seed.slice(0, 13))
  assert.equal(new Set([...ids(seed), ...ids(uuidv7())]).size, 10_000)
  for (const id of ids(seed)) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})
