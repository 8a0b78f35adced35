import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorkQueue } from './work-queue.ts'

test('work runs one at a time, in order, and a failure does not block the queue', async () => {
  const queue = new WorkQueue(10)
  const events: string[] = []
  const work = (name: string) => async () => {
    events.push(`+${name}`)
    await new Promise((resolve) => setImmediate(resolve))
    events.push(`-${name}`)
    if (name === 'b') throw new Error('b')
    return name
  }
  const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => queue.run(work(name))))
  assert.deepEqual(events, ['+a', '-a', '+b', '-b', '+c', '-c'])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})

test('a full queue refuses at once, and accepts work again later', async () => {
  const queue = new WorkQueue(2)
  const slow = () => new Promise((resolve) => setImmediate(resolve))
  const waiting = [queue.run(slow), queue.run(slow)]
  await assert.rejects(queue.run(slow), { code: 'UNAVAILABLE', headers: { 'retry-after': '2' } })
  await Promise.all(waiting)
  await queue.run(slow)
})
