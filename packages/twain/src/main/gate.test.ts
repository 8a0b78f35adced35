import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Gate } from './gate.ts'

test('work alone waits for those inside, and those who come meanwhile wait for it', async () => {
  const gate = new Gate()
  const order: string[] = []
  const note = (word: string, ms: number) => async () => {
    await sleep(ms)
    order.push(word)
  }

  await Promise.all([
    gate.pass(note('first', 20)),
    gate.pass(note('second', 10)),
    gate.alone(note('alone', 10)),
    gate.pass(note('later', 0)),
    gate.alone(note('alone again', 0)),
  ])

  assert.deepEqual(order.slice(0, 3), ['second', 'first', 'alone'])
  assert.deepEqual(order.slice(3).sort(), ['alone again', 'later'])
  assert.equal(gate.open, true)
})

test('opens again after work that fails, inside or alone', async () => {
  const gate = new Gate()
  const fail = async () => {
    throw new Error('no')
  }
  await assert.rejects(gate.pass(fail))
  await assert.rejects(gate.alone(fail))
  assert.equal(await gate.pass(async () => 'in'), 'in')
})
