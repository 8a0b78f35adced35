import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lookMs, Silence } from './silence.ts'

function open(queued: (() => number) | null = null) {
  const at = { now: 0, beat: 1 }
  const silence = new Silence(0, () => queued?.() ?? null)
  const look = (passed = lookMs, isDebugged = false) => {
    at.now += passed
    silence.look(at.now, at.beat, isDebugged)
    return silence.milliseconds
  }
  look()
  return { at, look }
}

test('silence is the time since the last sign', () => {
  const { at, look } = open()
  assert.deepEqual([look(), look()], [lookMs, 2 * lookMs])
  at.beat++
  assert.equal(look(), 0)
})

test('a pause of the whole process is no silence', () => {
  const { look } = open()
  assert.equal(look(3_600_000), 2 * lookMs)
})

test('time in the queue of a processor is no silence', () => {
  let queued = 0
  const { look } = open(() => queued)
  look()
  queued += 450
  assert.equal(look(), lookMs + 50)
})

test('while a debugger is attached, there is no silence', () => {
  const { look } = open()
  look()
  assert.equal(look(lookMs, true), 0)
})
