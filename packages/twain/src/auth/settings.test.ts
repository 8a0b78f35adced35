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

test('further issuers are a JSON list; each of their mistakes has its place', () => {
  const issuer = { issuer: 'https://id.example', audience: 'api', jwks: 'https://id.example/keys' }
  const list = (...issuers: unknown[]) => mistakes({ issuers: JSON.stringify(issuers) })
  assert.deepEqual(list(issuer, { ...issuer, issuer: 'b', accountClaim: 'oid', createAccounts: true }), [])
  assert.match(mistakes({ issuers: 'https://id.example' })[0]!, /^auth\.issuers must be a JSON list/)
  assert.match(list('x')[0]!, /^auth\.issuers\[0\] must be an object/)
  assert.deepEqual(list(issuer, { issuer: 'b', jwks: 'http://b.example', acountClaim: 'x', createAccounts: 'yes' }), [
    'auth.issuers[1].acountClaim is unknown. Did you mean "accountClaim"?',
    'auth.issuers[1].audience is missing.',
    'auth.issuers[1].createAccounts must be true or false.',
    'auth.issuers[1].jwks must be an https URL (http only for localhost).',
  ])
  assert.match(list(issuer, issuer)[0]!, /"https:\/\/id\.example" more than once/)
  assert.match(mistakes({ ...issuer, issuers: JSON.stringify([issuer]) })[0]!, /more than once/)
  assert.match(list({ ...issuer, issuer: 'twain' })[0]!, /is Twain itself/)
})
