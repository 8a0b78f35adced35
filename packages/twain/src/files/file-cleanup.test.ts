import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startFileCleanup } from './file-cleanup.ts'

const pauses = { pause: 1, rest: 30_000 }

test('portions follow one another until all is swept, and then it rests', async () => {
  let portions = 0
  const sweeping = startFileCleanup(
    { cleanUp: async () => ++portions === 3 },
    { info() {}, warn() {}, error() {} },
    pauses,
  )
  for (let tries = 0; tries < 200 && portions < 3; tries++) await sleep(5)
  await sleep(30)
  assert.equal(portions, 3)
  await sweeping.stop()
})

test('a failure is told to the log, and stopping waits for what is under way', async () => {
  const told: string[] = []
  const log = { info() {}, warn() {}, error: (_: object, text: string) => void told.push(text) }
  const failing = startFileCleanup({ cleanUp: () => Promise.reject(new Error('no')) }, log, pauses)
  for (let tries = 0; tries < 200 && told.length === 0; tries++) await sleep(5)
  assert.deepEqual(told, ['files of no row could not be swept'])
  await failing.stop()

  const { promise, resolve } = Promise.withResolvers<boolean>()
  let began = false
  const sweep = () => {
    began = true
    return promise
  }
  const slow = startFileCleanup({ cleanUp: sweep }, log, pauses)
  for (let tries = 0; tries < 200 && !began; tries++) await sleep(5)
  const stopped = slow.stop().then(() => 'stopped')
  assert.equal(await Promise.race([stopped, sleep(20, 'working')]), 'working')
  resolve(true)
  assert.equal(await stopped, 'stopped')
})
