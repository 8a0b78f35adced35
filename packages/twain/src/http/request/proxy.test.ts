import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Proxies, proxyMistake } from './proxy.ts'

const socket = '10.0.0.1'
const list = { 'x-forwarded-for': '6.6.6.6, 192.0.2.7, 10.0.0.2' }

test('a number of proxies is trusted, and no address before them', () => {
  assert.equal(new Proxies('1').clientOf(socket, list).address, '10.0.0.2')
  assert.equal(new Proxies('2').clientOf(socket, list).address, '192.0.2.7')
  assert.equal(new Proxies('9').clientOf(socket, list).address, '6.6.6.6')
  assert.equal(new Proxies('0').clientOf(socket, list).address, socket)
  assert.equal(new Proxies('2').clientOf(socket, {}).address, socket)
})

test('proxies can be named by their addresses', () => {
  const proxies = new Proxies('10.0.0.0/8, loopback')
  assert.equal(proxies.clientOf(socket, list).address, '192.0.2.7')
  assert.equal(proxies.clientOf('::ffff:127.0.0.1', list).address, '192.0.2.7')
  assert.equal(proxies.clientOf('192.0.2.99', list).address, '192.0.2.99', 'an untrusted peer can send any list')
})

test('ports and brackets are removed, and an entry that is no address is ignored', () => {
  const last = (entry: string) => new Proxies('1').clientOf(socket, { 'x-forwarded-for': entry }).address
  assert.equal(last('192.0.2.7:4711'), '192.0.2.7')
  assert.equal(last('[2001:db8::1]:4711'), '2001:db8::1')
  assert.equal(last('2001:db8::1'), '2001:db8::1')
  for (const odd of ['unknown', '_hidden', '', 'a\tb', '999.1.1.1']) assert.equal(last(odd), socket)
})

test('Forwarded (RFC 7239) is read if there is no X-Forwarded-For, and the two are never mixed', () => {
  const forwarded = 'for=6.6.6.6, for="[2001:db8::1]:4711";proto=https;host=api.example.org'
  const client = new Proxies('1').clientOf(socket, { forwarded, host: 'inner:4000' })
  assert.deepEqual(client, { address: '2001:db8::1', origin: 'https://api.example.org', host: 'api.example.org' })
  const both = new Proxies('1').clientOf(socket, { forwarded, 'x-forwarded-for': '192.0.2.7' })
  assert.deepEqual(both, { address: '192.0.2.7', origin: null, host: null })
})

test('the origin comes from the nearest proxy', () => {
  const headers = { 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'ftp, https', host: 'inner:4000' }
  assert.equal(new Proxies('1').clientOf(socket, headers).origin, 'https://inner:4000')
  const named = { ...headers, 'x-forwarded-host': 'evil.example, api.example.org' }
  assert.equal(new Proxies('1').clientOf(socket, named).origin, 'https://api.example.org')
  assert.equal(new Proxies('1').clientOf(socket, { ...named, 'x-forwarded-host': '"><script>' }).origin, null)
})

test('an invalid setting is reported', () => {
  for (const fine of [null, '1', '10.0.0.7', '10.0.0.0/8, fd00::/8, loopback']) assert.equal(proxyMistake(fine), null)
  for (const wrong of ['nginx', '10.0.0.0/33', '10.0.0.0/', '1,2', 'true', '1.2.3.4/8/9'])
    assert.match(proxyMistake(wrong)!, /http.trustProxy/)
})
