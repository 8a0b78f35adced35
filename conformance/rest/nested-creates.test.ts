// Nested rows in creates of several rows.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApis } from '../harness/open-apis.ts'

const sdl = `type Order { id: ID! name: String lines: [Line!]! }
  type Line { id: ID! what: String! code: String @unique order: Order! }`

test('rows of an array have nested rows, all or none are written, and mistakes have the index of both', async () => {
  const apis = await openApis(sdl)
  try {
    const orders = [
      { name: 'a', lines: [{ what: 'x' }] },
      { name: 'b', lines: [{ what: 'y', code: 'c' }] },
    ]
    const made = await apis.rest('POST', '/orders?fields=name,lines.what', orders)
    assert.deepEqual(made.body, [
      { name: 'a', lines: [{ what: 'x' }] },
      { name: 'b', lines: [{ what: 'y' }] },
    ])
    const xml = '<order><name>x</name><lines><item><what>z</what></item></lines></order>'
    const path = '/orders?fields=lines.what'
    const headers = { 'content-type': 'application/xml' }
    const reply = await apis.send('rest', { method: 'POST', path, headers, body: xml })
    assert.deepEqual(JSON.parse(String(reply.body)), { lines: [{ what: 'z' }] })
    const taken = [{ lines: [{ what: 'x', code: 'c' }] }, { lines: [{ what: 'x' }, { what: 'y', code: 'c' }] }]
    const refused = await apis.rest('POST', '/orders', taken)
    const { errors } = refused.body as { errors: { pointer: string; code: string }[] }
    assert.equal(refused.status, 409)
    assert.deepEqual(
      errors.map(({ pointer, code }) => `${pointer} ${code}`),
      ['/0/lines/0/code UNIQUE', '/1/lines/1/code UNIQUE'],
    )
    assert.equal(((await apis.rest('GET', '/orders')).body as unknown[]).length, 3)
  } finally {
    await apis.close()
  }
})
