import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue } from './fair-queue.ts'

const options = { maxAtOnce: 1, maxOfClient: 50, maxOfAll: 500, message: 'Too much.', retryAfterSeconds: 2 }

test('work runs one at a time, also after a failure', async () => {
  const queue = new FairQueue(options)
  const events: string[] = []
  const work = (name: string) => async () => {
    events.push(`+${name}`)
    await new Promise((resolve) => setImmediate(resolve))
    events.push(`-${name}`)
    if (name === 'b') throw new Error('b')
    return name
  }
  const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => queue.run('ann', work(name))))
  assert.deepEqual(events, ['+a', '-a', '+b', '-b', '+c', '-c'])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})

test('clients take turns: one who asks for much waits only for itself', async () => {
  const queue = new FairQueue(options)
  const order: string[] = []
  const ask = (client: string) =>
    queue.run(client, async () => {
      order.push(client)
    })
  await Promise.all([...['ann', 'ann', 'ann', 'ann'].map(ask), ask('bob'), ask('eve'), ask('bob')])
  assert.deepEqual(order, ['ann', 'ann', 'bob', 'eve', 'ann', 'bob', 'ann'])
})

test('a client with too much work is refused at once, others are not, and later it is accepted again', async () => {
  const queue = new FairQueue(options)
  const slow = () => new Promise((resolve) => setImmediate(resolve))
  const waiting = Array.from({ length: 51 }, () => queue.run('ann', slow))
  await assert.rejects(queue.run('ann', slow), { code: 'UNAVAILABLE', headers: { 'retry-after': '2' } })
  await queue.run('bob', slow)
  await Promise.all(waiting)
  await queue.run('ann', slow)
})

test('one client runs no more than its share, and others the rest', async () => {
  const queue = new FairQueue({ ...options, maxAtOnce: 2, maxAtOnceOfClient: 1 })
  const held = Promise.withResolvers<void>()
  const order: string[] = []
  const ask = (name: string, held?: Promise<void>) =>
    queue.run(name[0]!, async () => {
      order.push(name)
      await held
    })
  const all = [ask('a1', held.promise), ask('a2'), ask('b1'), ask('b2')]
  await Promise.all(all.slice(2))
  assert.deepEqual(order, ['a1', 'b1', 'b2'])
  held.resolve()
  await Promise.all(all)
  assert.deepEqual(order, ['a1', 'b1', 'b2', 'a2'])
})

test('several run at once, and no more', async () => {
  const queue = new FairQueue({ ...options, maxAtOnce: 2 })
  let running = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
  }
  await Promise.all(Array.from({ length: 6 }, () => queue.run('ann', work)))
  assert.deepEqual([most, running], [2, 0])
})
