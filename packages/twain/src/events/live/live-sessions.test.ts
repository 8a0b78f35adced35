import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError, type Viewer } from '#base'
import { LiveSessions } from './live-sessions.ts'

const viewer: Viewer = { account: 'a', roles: ['clerk'], authenticated: true, token: 't' }

/** How each of them stands: every fourth is as it was. */
const standings: (() => Viewer)[] = [
  () => ({ ...viewer }),
  () => ({ ...viewer, roles: [] }),
  () => {
    throw new ApiError('UNAUTHENTICATED', 'it has ended')
  },
  () => {
    throw new ApiError('UNAVAILABLE', 'the database is away')
  },
]

test('all are asked, many at once, and who does not count any more is told why', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const attendance = new LiveSessions()
  const count = 400
  const told = new Map<number, string>()
  let [asking, most, asked] = [0, 0, 0]
  const leave = Array.from({ length: count }, (_, index) =>
    attendance.add({
      viewer,
      async reauthenticate() {
        asked++
        most = Math.max(most, ++asking)
        await nextTurn()
        asking--
        return standings[index % standings.length]!()
      },
      end: (why) => void told.set(index, why),
    }),
  )
  t.mock.timers.tick(3000)
  t.mock.timers.tick(3000) // a look that is not over is met by no other
  while (asked < count || asking > 0) await nextTurn()
  assert.equal(asked, count)
  assert.ok(most > 10 && most <= 50, `${most} at once`)
  const why = [undefined, 'changed', 'ended', undefined]
  for (let index = 0; index < count; index++) assert.equal(told.get(index), why[index % why.length])

  for (const end of leave) end()
  t.mock.timers.tick(30_000)
  await nextTurn()
  assert.equal(asked, count, 'who has left is asked no more')
})
