import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '#base'
import { requestOf } from './blog.fixture.ts'
import { readBody } from './body.ts'

test('R40: a JSON body is taken as JSON, and as a merge patch too where it is a PATCH', async () => {
  for (const [method, type] of [
    ['POST', 'application/json'],
    ['PUT', 'Application/JSON; charset="UTF-8"'],
    ['PATCH', 'application/json'],
    ['PATCH', 'application/merge-patch+json'],
  ] as const) {
    const headers = { 'content-type': type }
    assert.deepEqual(await readBody(requestOf('/posts', { method, headers, body: { a: 1 } })), { a: 1 })
  }
})

test('R40: other types and charsets are refused, and the answer lists what is taken', async () => {
  for (const [method, type, header] of [
    ['POST', 'application/x-www-form-urlencoded', 'accept'],
    ['POST', 'application/merge-patch+json', 'accept'],
    ['PUT', 'application/json; charset=latin1', 'accept'],
    ['PATCH', 'application/json-patch+json', 'accept-patch'],
  ] as const) {
    const fault = await faultOf({ method, headers: { 'content-type': type }, body: '{}' })
    assert.equal(fault.code, 'UNSUPPORTED_MEDIA_TYPE')
    assert.match(fault.headers[header] ?? '', /application\/json/)
  }
  const request = requestOf('/posts', { method: 'POST' })
  await assert.rejects(readBody(request), (error) => error instanceof Fault && error.status === 415)
})

test('R41: what is not UTF-8 or not JSON is refused with its place', async () => {
  assert.match((await faultOf({ body: new Uint8Array([0x22, 0xff, 0x22]) })).message, /not valid UTF-8/)
  assert.match((await faultOf({ body: '{"a":\n nope}' })).message, /unexpected "n" at line 2, column 2/)
  assert.match((await faultOf({ body: '' })).message, /it is empty/)
  assert.match((await faultOf({ body: '['.repeat(70) + ']'.repeat(70) })).message, /deeper than 64/)
})

async function faultOf(asking: Parameters<typeof requestOf>[1]): Promise<Fault> {
  try {
    await readBody(requestOf('/posts', { method: 'POST', ...asking }))
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
  throw new Error('the body was taken')
}
