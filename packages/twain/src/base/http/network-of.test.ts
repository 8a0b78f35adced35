import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from './network-of.ts'

test('an IPv6 address counts by its /64, and a mapped IPv4 address as that IPv4 address', () => {
  assert.equal(networkOf('::ffff:192.0.2.1'), '192.0.2.1')
  assert.equal(networkOf('2001:db8:0:1:a:b:c:d'), '2001:db8:0:1')
  assert.equal(networkOf('2001:db8:0:1::9'), networkOf('2001:0DB8::1:5:0:0:0'))
  assert.notEqual(networkOf('2001:db8:0:1::9'), networkOf('2001:db8:0:2::9'))
  assert.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0')
  assert.equal(networkOf('::1'), '0:0:0:0')
  assert.equal(networkOf(''), '')
})
