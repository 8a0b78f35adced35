import assert from 'node:assert/strict'
import { test } from 'node:test'
import { providerMistakes, providersOf, returnAddresses } from './provider-settings.ts'

const returnTo = 'https://app.example.com/signed-in'
const client = { clientId: 'id', clientSecret: 'the secret' }

function mistakes(providers: unknown, to: string | null = returnTo): string[] {
  return providerMistakes({ providers: JSON.stringify(providers), returnTo: to })
}

test('each provider has its members', () => {
  const good = {
    google: client,
    github: { ...client, url: 'https://git.example.com' },
    microsoft: { ...client, tenant: 'organizations' },
    apple: { clientId: 'id', teamId: 't', keyId: 'k', privateKey: 'p' },
    company: { issuer: 'https://id.example.org', ...client, provesAddresses: ['example.org'] },
  }
  assert.deepEqual(mistakes(good), [])
  assert.deepEqual([...providersOf({ providers: JSON.stringify(good), returnTo }).keys()], Object.keys(good))
  assert.deepEqual(providerMistakes({ providers: null, returnTo: null }), [])
})

test('mistakes name their place and never a value', () => {
  const wrong = mistakes({
    google: { clientID: 'id', clientSecret: 'the secret' },
    gogle: client,
    constructor: client,
    microsoft: { ...client, provesAddresses: true },
    github: { ...client, url: 'http://git.example.com', provesAddresses: 'yes' },
    Bad_Name: client,
    discord: 'the secret',
  })
  assert.deepEqual(wrong, [
    'auth.providers.google.clientID is unknown. Did you mean "clientId"?',
    'auth.providers.google.clientId is missing.',
    'auth.providers.gogle.issuer is missing. Did you mean "google"?',
    'auth.providers.constructor.issuer is missing.',
    'auth.providers.microsoft.provesAddresses: its accounts can have any address, so none of them is proven.',
    'auth.providers.github.url must be an https URL (http only for localhost).',
    'auth.providers.github.provesAddresses must be true, false, or a list of domains.',
    'auth.providers.Bad_Name: a name has small letters, digits and dashes, and starts with a letter.',
    'auth.providers.discord must be an object: {"clientId": …, "clientSecret": …}.',
  ])
  assert.equal(wrong.join().includes('the secret'), false)
  assert.equal(providerMistakes({ providers: '{the secret', returnTo }).join().includes('the secret'), false)
})

test('addresses to return to are exact, and safe', () => {
  assert.deepEqual(mistakes({ google: client }, null), [
    'auth.providers needs auth.returnTo: the addresses of your application that a sign-in may return to.',
  ])
  const listed = 'https://a.example/x, http://localhost:3000/, com.example.app:/back'
  assert.deepEqual(returnAddresses({ providers: null, returnTo: listed }).length, 3)
  assert.deepEqual(mistakes({}, listed), [])
  for (const bad of [
    'http://a.example/',
    'javascript:alert(1)',
    '/back',
    'https://a.example/#x',
    'https://u:p@a.example/',
    'https://a.example/?code=1',
  ]) {
    assert.equal(mistakes({}, bad).length, 1, bad)
  }
})
