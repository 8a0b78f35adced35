import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#base'
import { toReadError, toStartRefused, toWriteError } from './database-errors.ts'

const failed = (code: string) => Object.assign(new Error('no'), { code })

test('what will pass is 503 with Retry-After, for reads and writes', () => {
  const passing = {
    'a standby that had to replay a change': ['40001', '40P01'],
    'a server without room, memory or connections': ['53100', '53200', '53300', '53400'],
    'a lock that it waits for no longer, a statement that took too long': ['55P03', '57014'],
    'one that starts, stops, or ends what is idle': ['57P01', '57P02', '57P03', '57P05', '25P03'],
    'a connection that was lost, or said nonsense': ['CONNECTION_CLOSED', 'CONNECT_TIMEOUT', 'ECONNRESET', '08P01'],
  }
  for (const [what, codes] of Object.entries(passing))
    for (const code of codes)
      for (const fault of [toReadError(failed(code), 30), toWriteError(failed(code), 30)]) {
        assert.ok(fault instanceof ApiError, `${what}: ${code}`)
        assert.deepEqual([fault.code, 'retry-after' in fault.headers], ['UNAVAILABLE', true])
      }
})

test('what is a mistake of ours stays one', () => {
  for (const code of ['42P01', '42703', '22012', '26000', 'XX000', 'ERR_ASSERTION']) {
    const error = failed(code)
    assert.equal(toReadError(error, 30), error)
    assert.equal(toWriteError(error, 30), error)
    assert.equal(toStartRefused(error, 'postgres://db'), error)
  }
})

test('a start is refused with a sentence where the address says what the server does not know', () => {
  for (const code of ['42704', '22023', '28P01', '3D000'])
    assert.match(String(toStartRefused(failed(code), 'postgres://db')), /postgres:\/\/db can't be used: no/)
})
