import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopback, originMistake, PublicOrigins } from './public-origins.ts'

test('admits the names of the public origins, localhost and literal addresses, with any port', () => {
  const origins = new PublicOrigins('https://api.example.org, https://Two.example.org:8443')
  const admitted = ['api.example.org', 'API.example.org:443', 'api.example.org.', 'two.example.org:8443', 'localhost']
  const literal = ['localhost:4000', '127.0.0.1:4000', '10.0.0.1', '[::1]:4000', '[2001:db8::1]']
  for (const host of [...admitted, ...literal]) assert.ok(origins.admits(host), host)
  const wrong = ['evil.example', 'evil.example:4000', 'api.example.org.evil.example', 'localhost.evil.example', '']
  const odd = ['127.0.0.1.evil.example', '2130706433', '0x7f000001', 'api.example.org@evil.example', '[::1', 'a b']
  for (const host of [...wrong, ...odd]) assert.ok(!origins.admits(host), host)
  for (const host of wrong) assert.ok(!origins.admits(host), `again: ${host}`)
  assert.ok(!new PublicOrigins(null).admits('api.example.org'))
})

test('links use the public origin that the client called, or the first', () => {
  const origins = new PublicOrigins('https://api.example.org,http://two.example.org:8080')
  assert.equal(origins.linkOrigin('two.example.org:8080'), 'http://two.example.org:8080')
  for (const host of ['api.example.org', 'evil.example', '10.0.0.1', undefined]) {
    assert.equal(origins.linkOrigin(host), 'https://api.example.org')
  }
  assert.equal(new PublicOrigins('https://api.example.org').linkOrigin('evil.example'), 'https://api.example.org')
  assert.equal(new PublicOrigins(null).linkOrigin('evil.example'), null)
  assert.ok(origins.includes('http://two.example.org:8080') && !origins.includes('https://evil.example'))
})

test('refuses a setting that is no origin', () => {
  for (const right of [null, 'https://api.example.org', 'http://10.0.0.1:4000,https://[::1]:1']) {
    assert.equal(originMistake(right), null)
  }
  const wrong = [
    'api.example.org',
    'https://a.example/path',
    'https://a.example/',
    'ftp://a.example',
    '*',
    '',
    'https://',
  ]
  for (const text of [...wrong, 'https://user@a.example', 'https://*.example', 'https://a.example,']) {
    assert.match(originMistake(text)!, /^http\.origin must be/, text)
  }
})

test('knows which addresses only this machine can reach', () => {
  for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) assert.ok(isLoopback(host), host)
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'example.org']) assert.ok(!isLoopback(host), host)
})
