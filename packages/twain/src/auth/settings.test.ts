import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AuthSettings, authMistakes, defaultAuthSettings } from './settings.ts'

const mistakes = (settings: Partial<AuthSettings>) => authMistakes({ ...defaultAuthSettings, ...settings })

test('the defaults and a complete configuration have no mistakes', () => {
  assert.deepEqual(mistakes({}), [])
  assert.deepEqual(mistakes({ secret: 'x'.repeat(32) }), [])
  const issuer = { issuer: 'https://id.example', audience: 'api', jwks: 'https://id.example/keys' }
  assert.deepEqual(mistakes(issuer), [])
  assert.deepEqual(mistakes({ ...issuer, jwks: 'http://127.0.0.1:8080/keys' }), [])
})

test('a short secret, an incomplete issuer and an insecure key URL are mistakes', () => {
  assert.match(mistakes({ secret: 'secret' })[0]!, /at least 32 characters/)
  assert.match(mistakes({ secret: `${'x'.repeat(32)},short` })[0]!, /at least 32 characters/)
  assert.match(mistakes({ issuer: 'x' })[0]!, /belong together; auth\.jwks and auth\.audience is missing/)
  for (const jwks of ['http://id.example/keys', 'file:///keys', 'keys']) {
    assert.match(mistakes({ issuer: 'x', audience: 'y', jwks })[0]!, /must be an https URL/)
  }
})
