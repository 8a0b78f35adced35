import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#base'
import { toReadError, toStartRefused, toWriteError } from './database-errors.ts'

const failed = (code: string) => Object.assign(new Error('no'), { code })

test('a temporary error is 503 with Retry-After, for reads and writes', () => {
  const temporary = {
    'a standby that replayed a change': ['40001', '40P01'],
    'a server without disk space, memory or connections': ['53100', '53200', '53300', '53400'],
    'a lock timeout, a statement timeout': ['55P03', '57014'],
    'a server that starts, stops, or ends idle sessions': ['57P01', '57P02', '57P03', '57P05', '25P03'],
    'a lost connection, or a protocol error': ['CONNECTION_CLOSED', 'CONNECT_TIMEOUT', 'ECONNRESET', '08P01'],
  }
  for (const [description, codes] of Object.entries(temporary))
    for (const code of codes)
      for (const error of [toReadError(failed(code), 30), toWriteError(failed(code), 30)]) {
        assert.ok(error instanceof ApiError, `${description}: ${code}`)
        assert.deepEqual([error.code, 'retry-after' in error.headers], ['UNAVAILABLE', true])
      }
})

test('a start on a full disk of the server is refused with a sentence', () => {
  assert.match(String(toStartRefused(failed('53100'), 'postgres://db')), /postgres:\/\/db can't be used: no \(53100\)/)
})

test('a sum beyond its type is an error of the request', () => {
  const error = toReadError(failed('22003'), 30)
  assert.ok(error instanceof ApiError)
  assert.deepEqual([error.status, error.problems[0]?.code], [400, 'RANGE'])
})

test('a bug of Twain stays an unexpected error', () => {
  for (const code of ['42P01', '42703', '22012', '26000', 'XX000', 'ERR_ASSERTION']) {
    const error = failed(code)
    assert.equal(toReadError(error, 30), error)
    assert.equal(toWriteError(error, 30), error)
    assert.equal(toStartRefused(error, 'postgres://db'), error)
  }
})

test('a start is refused with a sentence if the server does not know a part of the address', () => {
  for (const code of ['42704', '22023', '28P01', '3D000'])
    assert.match(String(toStartRefused(failed(code), 'postgres://db')), /postgres:\/\/db can't be used: no/)
})
