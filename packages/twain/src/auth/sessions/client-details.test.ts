import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unknownClient } from '#base/http'
import { shortAddress, shortClient } from './client-details.ts'

test('a browser is named by its name, its version and its system; other clients by what they call themselves', () => {
  const mozilla = 'Mozilla/5.0'
  const names = [
    `${mozilla} (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0`,
    `${mozilla} (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0`,
    `${mozilla} (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36`,
    `${mozilla} (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1`,
    `${mozilla} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Safari/605.1.15`,
    `${mozilla} (compatible; crawler)`,
    'curl/8.9.1',
    unknownClient,
  ]
  assert.deepEqual(names.map(shortClient), [
    ...[
      'Firefox 132 on Linux',
      'Edge 130 on Windows',
      'Chrome 130 on Android',
      'Safari 17 on iPhone',
      'Safari 17 on macOS',
    ],
    ...[`${mozilla} (compatible; crawler)`, 'curl/8.9.1', null],
  ])
})

test('an address is kept as its network', () => {
  const addresses = ['203.0.113.77', '::ffff:198.51.100.9', '2001:db8:1:2:3::4', '2001:db8::1', '::1']
  assert.deepEqual(addresses.map(shortAddress), [
    ...['203.0.113.0/24', '198.51.100.0/24', '2001:db8:1::/48', '2001:db8::/48', '::/48'],
  ])
})
