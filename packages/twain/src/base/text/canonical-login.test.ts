import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalLogin } from './canonical-login.ts'

test('logins that look alike are one', () => {
  const twins = [
    'ann@example.org',
    'ANN@Example.ORG',
    'ａｎｎ@example.org',
    'a\u00ADn\u200Bn@example.org',
    ' ann@example.org ',
  ]
  for (const twin of twins) assert.equal(canonicalLogin(twin), 'ann@example.org', JSON.stringify(twin))
  assert.equal(canonicalLogin('Straße'), canonicalLogin('STRASSE'))
  assert.equal(canonicalLogin('STRAẞE'), canonicalLogin('strasse'))
  assert.equal(canonicalLogin('ΣΊΣΥΦΟΣ'), canonicalLogin('σίσυφος'))
  assert.equal(canonicalLogin('\u212Aelvin'), 'kelvin')
  assert.equal(canonicalLogin('e\u0301ve'), canonicalLogin('Éve'))
  assert.equal(canonicalLogin('ﬁne'), 'fine')
})

test('logins that look different stay different', () => {
  assert.notEqual(canonicalLogin('ann'), canonicalLogin('anne'))
  assert.notEqual(canonicalLogin('eve'), canonicalLogin('ève'))
  assert.notEqual(canonicalLogin('ann@example.org'), canonicalLogin('ann@example.com'))
})

test('every letter that has cases or other forms has one canonical form, which stays', () => {
  const ranges = [
    [0, 0x3400],
    [0xa000, 0xac00],
    [0xf900, 0x11000],
    [0x1d400, 0x1ea00],
  ] as const
  for (const [first, last] of ranges) {
    for (let code = first; code < last; code++) {
      const letter = String.fromCodePoint(code)
      const canonical = canonicalLogin(letter)
      const forms = [canonical, letter.toUpperCase(), letter.toLowerCase(), letter.normalize('NFKD')]
      for (const form of new Set(forms)) assert.equal(canonicalLogin(form), canonical, code.toString(16))
    }
  }
})
