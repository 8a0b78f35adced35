import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiError } from '#base'
import { startCpuTimer } from '#cpu-time'
import { readSignIn } from './sign-in-input.ts'

test('input is a canonical login with its password, or a refresh token', () => {
  assert.deepEqual(readSignIn({ email: 'Ann@Example.org', password: 'correct horse' }, { name: 'email' }), {
    kind: 'password',
    login: 'ann@example.org',
    password: 'correct horse',
    device: null,
    captcha: null,
  })
  assert.deepEqual(readSignIn({ refreshToken: 'x' }, { name: 'email' }), { kind: 'refresh', refreshToken: 'x' })
})

test('all problems are reported at once', () => {
  assert.deepEqual(problems({}), ['email REQUIRED', 'password REQUIRED'])
  assert.deepEqual(problems({ emial: 'a', password: null }), ['emial UNKNOWN', 'email REQUIRED', 'password REQUIRED'])
  assert.deepEqual(problems({ refreshToken: 'x', password: 'correct horse' }), ['password UNKNOWN'])
})

test('an object or a list in place of a string is a problem', () => {
  for (const value of [{ $ne: null }, ['a'], 7, true]) {
    assert.deepEqual(problems({ email: value, password: value }), ['email TYPE', 'password TYPE'])
    assert.deepEqual(problems({ refreshToken: value }), ['refreshToken TYPE'])
  }
})

test('__proto__ and constructor are unknown fields', () => {
  assert.deepEqual(problems(JSON.parse('{"__proto__": {"email": "a"}, "constructor": 1}')), [
    '__proto__ UNKNOWN',
    'constructor UNKNOWN',
    'email REQUIRED',
    'password REQUIRED',
  ])
})

test('a password of a megabyte is refused at once', () => {
  const cost = startCpuTimer()
  assert.deepEqual(problems({ email: 'ann@example.org', password: 'x'.repeat(1_000_000) }), ['password LENGTH'])
  assert.ok(cost() < 50)
  assert.deepEqual(problems({ email: 'a', password: '1234567' }), ['password LENGTH'])
})

function problems(input: Record<string, unknown>): string[] {
  try {
    readSignIn(input, { name: 'email' })
  } catch (error) {
    return (error as ApiError).problems.map(({ path, code }) => `${path} ${code}`)
  }
  return []
}

test('a sign-in with a password may have a device and a captcha, and nothing else may', () => {
  const input = { email: 'ann@example.org', password: 'correct horse', device: 'd', captcha: 'c' }
  const read = readSignIn(input, { name: 'email' })
  assert.deepEqual(read.kind === 'password' && [read.device, read.captcha], ['d', 'c'])
  assert.deepEqual(problems({ ...input, device: 7 }), ['device TYPE'])
  assert.deepEqual(problems({ refreshToken: 'x', device: 'd' }), ['device UNKNOWN'])
})
