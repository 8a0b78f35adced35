import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError } from '#base'
import type { Viewer } from '#base/http'
import { LiveSessions } from './live-sessions.ts'

const viewer: Viewer = { account: 'a', roles: ['clerk'], authenticated: true, token: 't' }

/** How each session answers: unchanged, with other roles, ended, or unknown because the database is unavailable. */
const answers: (() => Viewer)[] = [
  () => ({ ...viewer }),
  () => ({ ...viewer, roles: [] }),
  () => {
    throw new ApiError('UNAUTHENTICATED', 'it has ended')
  },
  () => {
    throw new ApiError('UNAVAILABLE', 'the database is away')
  },
]

test('all sessions are reauthenticated, many at a time, and those that ended or changed are closed with the reason', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const liveSessions = new LiveSessions()
  const count = 400
  const reasons = new Map<number, string>()
  let [running, maxRunning, checked] = [0, 0, 0]
  const stopMonitoring = Array.from({ length: count }, (_, index) =>
    liveSessions.monitor({
      viewer,
      async reauthenticate() {
        checked++
        maxRunning = Math.max(maxRunning, ++running)
        await nextTurn()
        running--
        return answers[index % answers.length]!()
      },
      end: (why) => void reasons.set(index, why),
    }),
  )
  t.mock.timers.tick(3000)
  t.mock.timers.tick(3000) // a check that is still running delays the next one
  while (checked < count || running > 0) await nextTurn()
  assert.equal(checked, count)
  assert.ok(maxRunning > 10 && maxRunning <= 50, `${maxRunning} at once`)
  const why = [undefined, 'changed', 'ended', undefined]
  for (let index = 0; index < count; index++) assert.equal(reasons.get(index), why[index % why.length])

  for (const stop of stopMonitoring) stop()
  t.mock.timers.tick(30_000)
  await nextTurn()
  assert.equal(checked, count, 'a session that is no longer monitored is not checked')
})
