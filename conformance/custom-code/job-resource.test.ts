// `BackgroundJob` is a resource of the model: filters, sorts, cursors, `fields`, formats, entity tags, preconditions and
// idempotency keys are those of every type.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { awaitThat, JobPlace, type JobService } from './job-place.ts'

const sdl = `
  type Part @allow { id: ID! name: String! }
  type Mutation { enqueue(name: String!, at: String): String @allow }
`
const code = `
const run = (payload, context) => globalThis.runJob(payload, context)
export default {
  resolvers: { Mutation: { enqueue: ({ name, at }, { enqueue }) => enqueue(name, { name }, at ? { at } : {}) } },
  jobs: { make: { run, retries: 0 }, follow: { run } },
}`
const later = '2099-01-01T00:00:00Z'

test('R200 jobs have filters, sorts, cursors, fields and formats, the same on both APIs', async (t) => {
  const { get, graphql, ids } = await openJobs(t)

  const named = (jobs: { id: string }[]) => jobs.map(({ id }) => id)
  assert.deepEqual(named((await get('')).body), [ids[2], ids[1], ids[0]]) // the newest first
  assert.deepEqual(named((await get('?name=follow&sort=createdAt')).body), [ids[1], ids[2]])
  assert.deepEqual(named((await get('?state[in]=FAILED,DONE&tries[gte]=1')).body), [ids[0]])
  assert.deepEqual(named((await get(`?dueAt[gt]=2090-01-01T00:00:00Z&sort=-id`)).body), [ids[2], ids[1]])
  assert.deepEqual((await get('?name=make&fields=name,attempts.error')).body, [
    { name: 'make', attempts: [{ error: 'no make' }] },
  ])
  assert.equal((await get('', { prefer: 'count=exact' })).headers['x-total-count'], '3')
  assert.match((await get('?fields=name', { accept: 'text/csv' })).body, /^name\r\nfollow\r\nfollow\r\nmake\r\n$/)
  assert.match((await get('?name=make', { accept: 'application/xml' })).body, /<backgroundJob><id>/)

  const first = await get('?first=2')
  assert.deepEqual(
    first.body.edges.map((edge: { node: { id: string } }) => edge.node.id),
    [ids[2], ids[1]],
  )
  const rest = await get(`?first=2&after=${encodeURIComponent(first.body.pageInfo.endCursor)}`)
  assert.deepEqual([rest.body.edges.length, rest.body.edges[0].node.id], [1, ids[0]])

  const { data } = await graphql(`{
    backgroundJobs(name: "follow", where: {state: {eq: WAITING}}, orderBy: [{createdAt: ASC}]) { id _version _stateTransitions }
    backgroundJobsConnection(first: 1) { totalCount edges { node { id } } pageInfo { endCursor } }
  }`)
  assert.deepEqual(data.backgroundJobs, [
    { id: ids[1], _version: 1, _stateTransitions: ['CANCELLED'] },
    { id: ids[2], _version: 1, _stateTransitions: ['CANCELLED'] },
  ])
  assert.equal(data.backgroundJobsConnection.totalCount, 3)
  assert.equal(data.backgroundJobsConnection.edges[0].node.id, ids[2])
  const after = await get(`?first=1&after=${encodeURIComponent(data.backgroundJobsConnection.pageInfo.endCursor)}`)
  assert.equal(after.body.edges[0].node.id, ids[1]) // one cursor for both APIs
})

test('R202 a job has a version: entity tags, If-Match, ifVersion and Idempotency-Key', async (t) => {
  const { get, patch, graphql, ids } = await openJobs(t)
  const [, one = '', other = ''] = ids
  const read = await get(`/${one}`)
  const etag = String(read.headers.etag)
  assert.match(etag, /^"1-/)
  assert.equal((await get(`/${one}`, { 'if-none-match': etag })).status, 304)
  assert.equal((await patch(one, { 'if-match': '"7-x"' })).status, 412)

  const cancelled = await patch(one, { 'if-match': etag, 'idempotency-key': 'once' })
  assert.deepEqual(
    [cancelled.status, cancelled.body.state, cancelled.headers['cache-control']],
    [200, 'CANCELLED', 'no-store'],
  )
  assert.match(String(cancelled.headers.etag), /^"2-/)
  const again = await patch(one, { 'if-match': etag, 'idempotency-key': 'once' })
  assert.deepEqual([again.status, again.body, again.headers['idempotent-replayed']], [200, cancelled.body, 'true'])
  assert.equal((await patch(one, { 'idempotency-key': 'once' }, 'WAITING')).status, 422)
  assert.equal((await patch(one, {})).status, 409)

  const write = (version: number) =>
    graphql(
      `mutation { updateBackgroundJob(id: "${other}", input: {state: CANCELLED}, ifVersion: ${version}) { state _version } }`,
    )
  assert.equal((await write(9)).errors[0].extensions.code, 'PRECONDITION_FAILED')
  assert.deepEqual((await write(1)).data.updateBackgroundJob, { state: 'CANCELLED', _version: 2 })
})

test('nobody else learns of jobs: not by a nested filter, a batch, the feed or a rule-free schema', async (t) => {
  const { service, graphql, ids } = await openJobs(t)
  const refused = await Promise.all([
    service.send('GET', '/background-jobs?state=LOST'),
    service.send('GET', `/background-jobs/${ids[0]}`),
    service.send('HEAD', '/background-jobs'),
    service.send('PATCH', `/background-jobs/${ids[0]}`, { nonsense: 1 }),
  ])
  assert.deepEqual(
    refused.map(({ status }) => status),
    [401, 401, 401, 401],
  )
  const batch = [{ method: 'PATCH', path: `/background-jobs/${ids[1]}`, body: { state: 'CANCELLED' } }]
  assert.equal((await service.send('POST', '/batch', batch, {}, true)).status, 400)
  const transaction = await graphql(
    `mutation @transaction { updateBackgroundJob(id: "${ids[1]}", state: CANCELLED) { id } }`,
  )
  assert.equal(transaction.errors[0].extensions.code, 'BAD_REQUEST')
  const feed = await service.send('GET', '/changes?first=100', undefined, {}, true)
  assert.deepEqual(feed.body.edges, [])
  assert.equal((await service.send('GET', '/changes?resource=background-jobs', undefined, {}, true)).status, 400)
})

async function openJobs(t: TestContext) {
  const place = await JobPlace.make(t, sdl, code)
  const service = await place.open((payload) => {
    throw new Error(`no ${(payload as { name: string }).name}`)
  })
  const get = (path: string, headers: Record<string, string> = {}) =>
    service.send('GET', `/background-jobs${path}`, undefined, headers, true)
  const patch = (id: string, headers: Record<string, string>, state = 'CANCELLED') =>
    service.send('PATCH', `/background-jobs/${id}`, { state }, headers, true)
  const graphql = async (query: string) => (await service.send('POST', '/graphql', { query }, {}, true)).body
  const ids = [
    await enqueue(service, 'make'),
    await enqueue(service, 'follow', later),
    await enqueue(service, 'follow', later),
  ]
  await awaitThat(async () => (await get('?state=FAILED')).body.length === 1)
  return { service, get, patch, graphql, ids }
}

async function enqueue(service: JobService, name: string, at: string | null = null): Promise<string> {
  const query = 'mutation ($name: String!, $at: String) { enqueue(name: $name, at: $at) }'
  const { body } = await service.send('POST', '/graphql', { query, variables: { name, at } })
  return body.data.enqueue
}
