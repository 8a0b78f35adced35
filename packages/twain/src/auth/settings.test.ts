import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AuthSettings, authMistakes, defaultAuthSettings } from './settings.ts'

const mistakes = (settings: Partial<AuthSettings>) => authMistakes({ ...defaultAuthSettings, ...settings })

test('the defaults, and a whole configuration, are right', () => {
  assert.deepEqual(mistakes({}), [])
  assert.deepEqual(mistakes({ secret: 'x'.repeat(32) }), [])
  const issuer = { issuer: 'https://id.example', audience: 'api', jwks: 'https://id.example/keys' }
  assert.deepEqual(mistakes(issuer), [])
  assert.deepEqual(mistakes({ ...issuer, jwks: 'http://127.0.0.1:8080/keys' }), [])
})

test('what can be guessed, is half said, or can be changed on its way is told', () => {
  assert.match(mistakes({ secret: 'secret' })[0]!, /at least 32 characters/)
  assert.match(mistakes({ secret: `${'x'.repeat(32)},short` })[0]!, /at least 32 characters/)
  assert.match(mistakes({ issuer: 'x' })[0]!, /belong together; auth\.jwks and auth\.audience is not said/)
  for (const jwks of ['http://id.example/keys', 'file:///keys', 'keys']) {
    assert.match(mistakes({ issuer: 'x', audience: 'y', jwks })[0]!, /wants an https address/)
  }
})
