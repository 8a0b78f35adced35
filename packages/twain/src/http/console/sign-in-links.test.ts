import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SignInLinks } from './sign-in-links.ts'

test('a key works once, and the next one is shown', () => {
  const shown: string[] = []
  const links = new SignInLinks((key) => shown.push(key))
  const key = links.make()
  assert.deepEqual([links.use('another'), shown.length], [false, 0])
  assert.equal(links.use(key), true)
  assert.deepEqual([links.use(key), shown.length], [false, 1])
  assert.equal(links.use(shown[0]!), true)
})

test('a key ends after ten minutes; whoever comes late makes the next one appear', () => {
  let now = 0
  const shown: string[] = []
  const links = new SignInLinks(
    (key) => shown.push(key),
    () => now,
  )
  const key = links.make()
  now = 10 * 60_000
  assert.deepEqual([links.use(key), shown.length], [false, 1])
  assert.equal(links.use(shown[0]!), true)
})

test('no key works before one was made', () => {
  const links = new SignInLinks(() => {})
  assert.equal(links.use(''), false)
})
