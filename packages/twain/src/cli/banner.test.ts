import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Model } from '#model'
import { banner, type Served } from './banner.ts'
import { createPaint } from './paint.ts'

const model = { service: { name: 'Shop' }, resources: [{ path: 'items' }, { path: 'shelves' }] } as unknown as Model

test('shows name, addresses, data, resources, and that everyone may come in', () => {
  const text = print({ server: { host: '127.0.0.1', port: 4000 } })
  assert.match(text, /^Shop is served$/m)
  assert.match(text, /Browser +http:\/\/127\.0\.0\.1:4000\/$/m)
  assert.match(text, /REST +http:\/\/127\.0\.0\.1:4000 +e\.g\. http:\/\/127\.0\.0\.1:4000\/items$/m)
  assert.match(text, /GraphQL +http:\/\/127\.0\.0\.1:4000\/graphql$/m)
  assert.match(text, /Data +\.\/data$/m)
  assert.match(text, /Resources +2$/m)
  assert.match(text, /Everyone who reaches this address can read and write/)
  assert.doesNotMatch(text, /is taken/)
})

test('says when another port had to be taken', () => {
  assert.match(print({ server: { host: '127.0.0.1', port: 4001 } }), /Port 4000 is taken, so this is 4001\./)
})

test('gives an address that can be clicked, also where it listens on all', () => {
  assert.match(print({ server: { host: '0.0.0.0', port: 4000 } }), /http:\/\/localhost:4000\/graphql/)
  assert.match(print({ server: { host: '::1', port: 4000 } }), /http:\/\/\[::1\]:4000\/graphql/)
})

function print(served: Partial<Served>): string {
  const standard: Served = { model, server: { host: '', port: 0 }, data: './data', wanted: 4000 }
  return banner({ ...standard, ...served }, createPaint(false))
}
