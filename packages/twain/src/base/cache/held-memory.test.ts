import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HeldMemory, type MemoryHolder } from './held-memory.ts'

test('what several hold counts once, until the last one releases it', () => {
  const { memory, counted } = open(1000)
  const plan = {}
  const [ann, bob] = [holder('ann', 'home'), holder('bob', 'office')]

  assert.equal(memory.hold(plan, 100, false, ann), true)
  assert.equal(memory.hold(plan, 100, false, bob), true)
  assert.deepEqual([memory.bytes, counted()], [100, 100])

  memory.release(plan, ann)
  assert.equal(memory.bytes, 100)
  assert.equal(memory.hold({}, 100, false, ann), true)
  assert.equal(memory.hold({}, 100, false, bob), false)
  memory.release(plan, bob)
  memory.release(plan, bob)
  assert.deepEqual([memory.bytes, counted()], [100, 100])
})

test('a client holds an eighth of the capacity at most, and so do the large holdings of a network', () => {
  const { memory } = open(1000)

  assert.equal(memory.hold({}, 130, true, holder('ann', 'home')), false)
  assert.equal(memory.hold({}, 100, false, holder('ann', 'home')), true)
  assert.equal(memory.hold({}, 30, false, holder('ann', 'elsewhere')), true)
  assert.equal(memory.hold({}, 30, false, holder('ann', 'home')), false)
  assert.equal(memory.hold({}, 30, false, holder('bob', 'home')), false)
  assert.equal(memory.hold({}, 30, true, holder('bob', 'home')), true)
})

test('all clients together hold a half of the capacity, and operators an eighth beside it', () => {
  const { memory } = open(1000)
  for (const name of ['ann', 'bob', 'eve', 'kim']) memory.hold({}, 120, false, holder(name, name))

  assert.equal(memory.hold({}, 100, false, holder('zoe', 'zoe')), false)
  assert.equal(memory.hold({}, 100, false, { ...holder('root', 'root'), isOperator: true }), true)
  assert.equal(memory.hold({}, 100, false, { ...holder('toor', 'root'), isOperator: true }), false)
  assert.equal(memory.bytes, 580)
})

test('a small holding displaces the largest one of the heaviest client, and nothing of a client that holds as little', () => {
  const { memory } = open(1000)
  const ended: string[] = []
  const hold = (client: string, network: string, bytes: number, name: string) => {
    const plan = {}
    const by: MemoryHolder = {
      ...holder(client, network),
      end() {
        ended.push(name)
        memory.release(plan, by)
      },
    }
    return memory.hold(plan, bytes, true, by)
  }
  for (const client of ['a', 'b', 'c', 'd']) {
    hold(client, 'botnet', 80, `${client} large`)
    hold(client, 'botnet', client === 'c' ? 45 : 40, `${client} small`)
  }

  assert.equal(hold('ann', 'home', 20, 'ann'), true)
  assert.deepEqual(ended, ['c large'])
  assert.equal(hold('e', 'botnet', 60, 'e'), true)
  assert.equal(hold('f', 'botnet', 60, 'f'), true)
  assert.deepEqual(ended, ['c large', 'a large'])
  assert.equal(hold('b', 'botnet', 5, 'b again'), true)
  assert.equal(hold('d', 'botnet', 30, 'd'), false)
  assert.deepEqual(ended, ['c large', 'a large'])
})

function open(capacity: number) {
  let counted = 0
  const memory = new HeldMemory(capacity, (bytes) => {
    counted += bytes
  })
  return { memory, counted: () => counted }
}

function holder(client: string, network: string): MemoryHolder {
  return { client, network, isOperator: false, end() {} }
}
