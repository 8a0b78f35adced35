// Checks the table of methods and the table of pagination.

import assert from 'node:assert/strict'
import type { ContractService } from './contract-service.ts'

/** On the collection of the accounts, of which there are at least three. */
export async function checkPages({ send, signUp }: ContractService): Promise<void> {
  const [, list = ''] = (await signUp('hal')).split('/')
  await signUp('ida')
  const get = (query: string, headers = {}) => send('GET', `/${list}?${query}`, { viewer: 'ann', headers })
  const middle = await get('limit=1&offset=1', { prefer: 'count=exact' })
  for (const rel of ['next', 'prev', 'first'])
    assert.match(middle.headers.get('link') ?? '', new RegExp(`rel="${rel}"`))
  assert.ok(Number(middle.headers.get('x-total-count')) >= 3)
  assert.equal((await get('limit=1')).headers.has('x-total-count'), false)
  const { body: page } = await get('first=1')
  assert.deepEqual(Object.keys(page.edges[0]).toSorted(), ['cursor', 'node'])
  assert.deepEqual(Object.keys(page.pageInfo).toSorted(), ['endCursor', 'hasNextPage'])
  const { body: next } = await get(`first=1&after=${encodeURIComponent(page.pageInfo.endCursor)}`)
  assert.notEqual(next.edges[0].node.id, page.edges[0].node.id)
  const fields =
    'edges { cursor node { id } } pageInfo { hasNextPage endCursor hasPreviousPage startCursor } totalCount'
  const query = `{ ${list}Connection(first: 1) { ${fields} } }`
  const { body } = await send('POST', '/graphql', { viewer: 'ann', body: { query } })
  assert.equal(body.data[`${list}Connection`].totalCount, Number(middle.headers.get('x-total-count')))
}

export async function checkMethods({ send, createAccount, viewers }: ContractService): Promise<void> {
  const row = await createAccount('jon')
  const own = { viewer: 'jon' }
  const read = await send('GET', row, own)
  const head = await send('HEAD', row, own)
  assert.deepEqual([head.status, head.text, head.headers.get('etag')], [200, '', read.headers.get('etag')])
  const merged = await send('PATCH', row, { ...own, body: { name: 'Jonathan' } })
  assert.deepEqual([merged.status, merged.body.name], [200, 'Jonathan'])
  const patch = [{ op: 'replace', path: '/name', value: 'Joan' }]
  const headers = { 'content-type': 'application/json-patch+json', 'idempotency-key': 'joan' }
  const first = await send('PATCH', row, { ...own, body: patch, headers })
  const again = await send('PATCH', row, { ...own, body: patch, headers })
  assert.deepEqual([first.status, first.body?.name], [200, 'Joan'], first.text)
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [200, 'true'])
  assert.equal(again.headers.get('etag'), first.headers.get('etag'))
  const stale = await send('PATCH', row, { ...own, body: { name: 'J' }, headers: { 'if-match': '"1"' } })
  assert.deepEqual([stale.status, stale.body.code], [412, 'PRECONDITION_FAILED'])
  const statuses = [(await send('DELETE', row, own)).status, (await send('DELETE', row, { viewer: 'ann' })).status]
  assert.deepEqual(statuses, [204, 404])
  viewers.delete('jon')
}
