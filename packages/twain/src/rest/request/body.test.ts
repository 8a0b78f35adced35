import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#base'
import { requestOf, resource } from '../blog.fixture.ts'
import { readJsonBody, readPatchBody, readRowBody } from './body.ts'

test('R40: a row is read from JSON or XML, a change from a patch', async () => {
  const body = { title: 'a' }
  for (const type of ['application/json', 'Application/JSON; charset="UTF-8"']) {
    assert.deepEqual(await read({ headers: { 'content-type': type }, body }), body)
  }
  for (const type of ['application/xml', 'text/xml; charset=utf-8']) {
    assert.deepEqual(await read({ headers: { 'content-type': type }, body: '<post><title>a</title></post>' }), body)
  }
  for (const [type, kind] of [
    ['application/json', 'merge'],
    ['application/merge-patch+json', 'merge'],
    ['application/json-patch+json', 'operations'],
  ] as const) {
    const request = requestOf('/posts/p1', { method: 'PATCH', headers: { 'content-type': type }, body })
    assert.deepEqual(await readPatchBody(request), { kind, body })
  }
})

test('R40: other types and charsets are a 415 that lists the supported types', async () => {
  for (const [method, type, header] of [
    ['POST', 'application/x-www-form-urlencoded', 'accept'],
    ['POST', 'application/merge-patch+json', 'accept'],
    ['PUT', 'application/json; charset=latin1', 'accept'],
    ['PATCH', 'application/xml', 'accept-patch'],
  ] as const) {
    const error = await errorOf({ method, headers: { 'content-type': type }, body: '{}' })
    assert.equal(error.code, 'UNSUPPORTED_MEDIA_TYPE')
    assert.match(error.headers[header] ?? '', /application\/json/)
  }
  await assert.rejects(read({}), (error) => error instanceof ApiError && error.status === 415)
  const xml = requestOf('/tokens', { method: 'POST', headers: { 'content-type': 'application/xml' }, body: '<a/>' })
  await assert.rejects(
    readJsonBody(xml),
    (error) => error instanceof ApiError && error.headers.accept === 'application/json',
  )
})

test('R41: invalid UTF-8 or JSON is a bad request with its position', async () => {
  assert.match((await errorOf({ body: new Uint8Array([0x22, 0xff, 0x22]) })).message, /not valid UTF-8/)
  assert.match((await errorOf({ body: '{"a":\n nope}' })).message, /unexpected "n" at line 2, column 2/)
  assert.match((await errorOf({ body: '' })).message, /it is empty/)
  assert.match((await errorOf({ body: '['.repeat(70) + ']'.repeat(70) })).message, /deeper than 64/)
})

async function read(asking: Parameters<typeof requestOf>[1]): Promise<unknown> {
  return await readRowBody(requestOf('/posts', { method: 'POST', ...asking }), resource('Post'))
}

async function errorOf(asking: Parameters<typeof requestOf>[1]): Promise<ApiError> {
  try {
    const request = requestOf('/posts', { method: 'POST', ...asking })
    await (request.method === 'PATCH' ? readPatchBody(request) : readRowBody(request, resource('Post')))
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('the body was taken')
}
