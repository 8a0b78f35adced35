import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Gate } from './gate.ts'

async function pass<Result>(gate: Gate, work: () => Promise<Result>): Promise<Result> {
  while (!gate.open) await gate.opened()
  gate.enter()
  try {
    return await work()
  } finally {
    gate.leave()
  }
}

test('exclusive work waits for running requests, and new requests wait for it', async () => {
  const gate = new Gate()
  const order: string[] = []
  const note = (word: string, ms: number) => async () => {
    await sleep(ms)
    order.push(word)
  }

  await Promise.all([
    pass(gate, note('first', 20)),
    pass(gate, note('second', 10)),
    gate.alone(note('alone', 10)),
    pass(gate, note('later', 0)),
    gate.alone(note('alone again', 0)),
  ])

  assert.deepEqual(order.slice(0, 3), ['second', 'first', 'alone'])
  assert.deepEqual(order.slice(3).sort(), ['alone again', 'later'])
  assert.equal(gate.open, true)
})

test('the gate opens again after failed work, of a request or exclusive', async () => {
  const gate = new Gate()
  const fail = async () => {
    throw new Error('no')
  }
  await assert.rejects(pass(gate, fail))
  await assert.rejects(gate.alone(fail))
  assert.equal(await pass(gate, async () => 'in'), 'in')
})
