import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#base'
import type { PlanResult } from '#plan'
import { fakeRest, problemOf } from '../blog.fixture.ts'

const one = (text: string | null): PlanResult => ({ kind: 'one', text, version: 3 })
const many = (text: string, more = false, total: number | null = null): PlanResult => ({
  kind: 'many',
  text,
  more,
  total,
})
const written = (created: boolean): PlanResult => ({
  kind: 'written',
  text: '{"id":"p1"}',
  id: 'p1',
  version: 1,
  created,
})

test('R60: an item is the text of the store, with an ETag of its version', async () => {
  const { send, executed } = fakeRest(one('{"id":"p1"}'))
  const reply = await send('/posts/p1')
  assert.deepEqual([reply.status, reply.body], [200, '{"id":"p1"}'])
  assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(reply.headers['cache-control'], 'no-cache')
  assert.match(String(reply.headers.etag), /^"3-/)
  assert.deepEqual(executed[0]?.options, { caller: undefined, isDefaultSelection: true })
})

test('R61: a client that has the representation gets a 304', async () => {
  const { send } = fakeRest(one('{"id":"p1"}'))
  const { headers } = await send('/posts/p1')
  const reply = await send('/posts/p1', { headers: { 'if-none-match': String(headers.etag) } })
  assert.deepEqual([reply.status, reply.body, reply.headers.etag], [304, null, headers.etag])
  assert.equal(reply.headers['content-type'], undefined)
})

test('R31–R33: an offset page is an array with links, and with a count if preferred', async () => {
  const { send, executed } = fakeRest(many('[{}]', true, 9))
  const reply = await send('/posts?status=DRAFT&offset=2&limit=1', { headers: { prefer: 'count=exact' } })
  assert.equal(reply.body, '[{}]')
  assert.deepEqual(executed[0]?.options, { caller: undefined, isDefaultSelection: true, more: true })
  const { plan } = executed[0]!.boundPlan
  assert.equal(plan.kind === 'many' && plan.shape.kind === 'list' && plan.shape.total, true)
  assert.equal(reply.headers['x-total-count'], '9')
  assert.equal(reply.headers['preference-applied'], 'count=exact')
  assert.match(String(reply.headers.link), /<\/posts\?status=DRAFT&offset=3&limit=1>; rel="next"/)
})

test('R34: a cursor page links to the next page after its last cursor', async () => {
  const page = (next: boolean) =>
    many(`{"edges":[{"node":{"title":"\\"pageInfo\\":{"}}],"pageInfo":{"hasNextPage":${next},"endCursor":"c.1"}}`)
  const { send } = fakeRest(page(true), page(false))
  const [first, last] = [await send('/posts?first=1'), await send('/posts?first=1')]
  assert.equal(first.headers.link, '</posts?first=1&after=c.1>; rel="next"')
  assert.equal(last.headers.link, undefined)
})

test('R33: the count of a cursor page is a header, and not part of the page or its ETag', async () => {
  const page = '"edges":[{"node":{"id":"p1"},"cursor":"c"}],"pageInfo":{"hasNextPage":false,"endCursor":"c"}}'
  const { send } = fakeRest(many(`{"totalCount":12,${page}`), many(`{${page}`))
  const counted = await send('/posts?first=1', { headers: { prefer: 'count=exact' } })
  const plain = await send('/posts?first=1')
  assert.deepEqual([counted.body, counted.headers.etag], [plain.body, plain.headers.etag])
  assert.deepEqual([counted.headers['x-total-count'], plain.headers['x-total-count']], ['12', undefined])
})

test('R42: a create is a 201 with Location and ETag', async () => {
  const { send } = fakeRest(written(true))
  const reply = await send('/posts', { method: 'POST', body: { title: 'a', author: 'u1' } })
  assert.deepEqual([reply.status, reply.headers.location, reply.body], [201, '/posts/p1', '{"id":"p1"}'])
  assert.match(String(reply.headers.etag), /^"1-/)
})

test('R43: a PUT is a 200 when it replaced, a 201 when it created', async () => {
  const { send } = fakeRest(written(false), written(true))
  const put = () => send('/posts/p1', { method: 'PUT', body: { title: 'a', author: 'u1' } })
  const [replaced, created] = [await put(), await put()]
  assert.deepEqual([replaced.status, replaced.headers.location], [200, undefined])
  assert.deepEqual([created.status, created.headers.location], [201, '/posts/p1'])
})

test('R46: a delete is a 204, then a 404', async () => {
  const { send } = fakeRest({ kind: 'deleted', found: true, id: 'p1' }, { kind: 'deleted', found: false, id: 'p1' })
  assert.deepEqual(await send('/posts/p1', { method: 'DELETE' }), { status: 204, headers: {}, body: null })
  assert.equal((await send('/posts/p1', { method: 'DELETE' })).status, 404)
})

test('R5: OPTIONS lists the methods, and other methods are a 405 with the list', async () => {
  const { send } = fakeRest()
  const reply = await send('/posts/p1', { method: 'OPTIONS' })
  assert.deepEqual(reply, {
    status: 204,
    headers: {
      allow: 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS',
      'accept-patch': 'application/merge-patch+json, application/json, application/json-patch+json',
    },
    body: null,
  })
  for (const [method, target] of [
    ['PUT', '/posts'],
    ['POST', '/posts/p1'],
    ['POST', '/posts/p1/tags'],
    ['PATCH', '/founds'],
    ['BREW', '/posts'],
  ] as const) {
    const refused = await send(target, { method })
    assert.equal(refused.status, 405)
    assert.match(String(refused.headers.allow), /GET, HEAD/)
  }
})

test('R7: a trailing slash and a previous path redirect with their query', async () => {
  const { send } = fakeRest()
  for (const [method, status] of [
    ['GET', 301],
    ['HEAD', 301],
    ['POST', 308],
    ['DELETE', 308],
    ['OPTIONS', 308],
  ] as const) {
    const reply = await send('/posts/p1/?fields=id', { method })
    assert.deepEqual([reply.status, reply.headers.location, reply.body], [status, '/posts/p1?fields=id', null], method)
  }
})

test('R51: several written rows are an array without Location', async () => {
  const { send } = fakeRest({ kind: 'batch', answers: [written(true), written(true)] })
  const body = [
    { title: 'a', author: 'u' },
    { title: 'b', author: 'u' },
  ]
  const reply = await send('/posts', { method: 'POST', body })
  assert.deepEqual([reply.status, reply.body, reply.headers.location], [201, '[{"id":"p1"},{"id":"p1"}]', undefined])
})

test('R52, R60: XML has an ETag of its own bytes', async () => {
  const { send } = fakeRest(one('{"id":"p1"}'))
  const [json, xml] = [await send('/posts/p1'), await send('/posts/p1', { headers: { accept: 'application/xml' } })]
  assert.equal(xml.headers['content-type'], 'application/xml; charset=utf-8')
  assert.match(String(xml.body), /^<\?xml [^>]*\?>\n<post><id>p1<\/id><\/post>\n$/)
  assert.notEqual(xml.headers.etag, json.headers.etag)
})

test('R50: XML has the media type of the request', async () => {
  const { send } = fakeRest(one('{"id":"p1"}'))
  const xml = await send('/posts/p1', { headers: { accept: 'text/xml, application/xml;q=0.5' } })
  assert.equal(xml.headers['content-type'], 'text/xml; charset=utf-8')
  assert.match(String(xml.body), /<post><id>p1/)
  const none = await send('/pots/p1', { headers: { accept: 'text/xml' } })
  assert.match(String(none.headers['content-type']), /^application\/problem\+xml/)
})

test('R8: a link is a 204, or a 404 if the linked row does not exist', async () => {
  const nothing = new ApiError('CONFLICT', 'x', {
    problems: [{ path: 'tags.0', code: 'REFERENCE', message: 'There is no Tag with the id "t1".' }],
  })
  const { send } = fakeRest(written(false), nothing)
  assert.deepEqual(await send('/posts/p1/tags/t1', { method: 'PUT' }), { status: 204, headers: {}, body: null })
  const missing = problemOf(await send('/posts/p1/tags/t1', { method: 'DELETE' }))
  assert.deepEqual([missing.status, missing.detail], [404, 'There is no Tag with the id "t1".'])
})
