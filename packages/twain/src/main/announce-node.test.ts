import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ServingNode } from '#base'
import type { NodeStore } from '#store'
import { announceNode } from './announce-node.ts'

const own = () => ({ node: 'one' }) as ServingNode

/** A store whose writes end when the test says so. */
class SlowNodes implements NodeStore {
  readonly isShared: boolean = true
  readonly calls: string[] = []
  #end: () => void = () => {}

  announce(): Promise<void> {
    return this.#call('announce')
  }

  withdraw(): Promise<void> {
    return this.#call('withdraw')
  }

  async listOthers(): Promise<ServingNode[]> {
    return []
  }

  endCall(): Promise<void> {
    this.#end()
    return turn()
  }

  #call(name: string): Promise<void> {
    this.calls.push(name)
    return new Promise((resolve) => {
      this.#end = resolve
    })
  }
}

test('a node tells at intervals, one write at a time, and when it ends', async (t) => {
  const store = new SlowNodes()
  mockTimers(t)
  const announcer = announceNode(store, own)
  t.mock.timers.tick(60_000) // the first write has not ended
  assert.deepEqual(store.calls, ['announce'])
  await store.endCall()
  t.mock.timers.tick(10_000)
  assert.deepEqual(store.calls, ['announce', 'announce'])
  await store.endCall()
  const stopped = announcer.stop()
  await turn()
  assert.deepEqual(store.calls.slice(2), ['withdraw'])
  await store.endCall()
  await stopped
  t.mock.timers.tick(60_000)
  assert.equal(store.calls.length, 3)
})

test('a stop does not wait for a database that is away', async (t) => {
  const store = new SlowNodes()
  mockTimers(t)
  const announcer = announceNode(store, own)
  let isStopped = false
  const stopped = announcer.stop().then(() => {
    isStopped = true
  })
  t.mock.timers.tick(999)
  await turn()
  assert.equal(isStopped, false)
  t.mock.timers.tick(1)
  await stopped
  assert.deepEqual(store.calls, ['announce'])
})

test('a node whose figures can not be read tells them later', async (t) => {
  const store = new SlowNodes()
  mockTimers(t)
  let isBroken = true
  const announcer = announceNode(store, () => {
    if (isBroken) throw new Error('no figures')
    return own()
  })
  await turn()
  isBroken = false
  t.mock.timers.tick(10_000)
  assert.deepEqual(store.calls, ['announce'])
  t.mock.timers.tick(0)
  const stopped = announcer.stop()
  t.mock.timers.tick(1000)
  await stopped
})

function mockTimers(t: TestContext): void {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
}

/** Lets promises go on. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
