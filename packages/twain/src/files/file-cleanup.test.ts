import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startFileCleanup } from './file-cleanup.ts'

const delays = { stepDelayMs: 1, roundDelayMs: 30_000 }

test('steps follow one another until all files are checked, and then the cleanup waits', async () => {
  let steps = 0
  const cleanup = startFileCleanup({ cleanUp: async () => ++steps === 3 }, { info() {}, warn() {}, error() {} }, delays)
  for (let tries = 0; tries < 200 && steps < 3; tries++) await sleep(5)
  await sleep(30)
  assert.equal(steps, 3)
  await cleanup.stop()
})

test('a failure is logged, and stopping waits for the running step', async () => {
  const logged: string[] = []
  const log = { info() {}, warn() {}, error: (_: object, text: string) => void logged.push(text) }
  const failing = startFileCleanup({ cleanUp: () => Promise.reject(new Error('no')) }, log, delays)
  for (let tries = 0; tries < 200 && logged.length === 0; tries++) await sleep(5)
  assert.deepEqual(logged, ['unreferenced files could not be deleted'])
  await failing.stop()

  const { promise, resolve } = Promise.withResolvers<boolean>()
  let began = false
  const sweep = () => {
    began = true
    return promise
  }
  const slow = startFileCleanup({ cleanUp: sweep }, log, delays)
  for (let tries = 0; tries < 200 && !began; tries++) await sleep(5)
  const stopped = slow.stop().then(() => 'stopped')
  assert.equal(await Promise.race([stopped, sleep(20, 'working')]), 'working')
  resolve(true)
  assert.equal(await stopped, 'stopped')
})
