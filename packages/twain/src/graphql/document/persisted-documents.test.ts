import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { CacheBudget } from '#base'
import { fakeGraphql, responseOf, rows } from '../blog.fixture.ts'

const query = '{ posts { id } }'
const data = { posts: [{ id: 'p1' }] }
const extensions = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } })
const bodyOf = (body: object) => ({ body: async () => Buffer.from(JSON.stringify(body)) })
const sha = (text: string) => hash('sha256', text, 'hex')

test('a document that was sent with its hash can be named by the hash, also by GET', async () => {
  const { send } = fakeGraphql({ answers: [rows] })
  const byHash = bodyOf({ extensions: extensions(sha(query)) })
  const unknown = responseOf(await send(byHash))
  assert.equal(unknown.errors?.[0]?.message, 'PersistedQueryNotFound')
  assert.equal(unknown.errors?.[0]?.extensions.code, 'PERSISTED_QUERY_NOT_FOUND')
  assert.deepEqual(responseOf(await send(bodyOf({ query, extensions: extensions(sha(query)) }))).data, data)
  assert.deepEqual(responseOf(await send(byHash)).data, data)
  const encoded = encodeURIComponent(JSON.stringify(extensions(sha(query))))
  assert.deepEqual(responseOf(await send({ method: 'GET', query: `extensions=${encoded}` })).data, data)
})

test('a text is not registered under the hash of another, nor if it is invalid', async () => {
  const { send } = fakeGraphql({ answers: [rows] })
  const wrong = await send(bodyOf({ query, extensions: extensions(sha('{ tags { id } }')) }))
  assert.deepEqual([wrong.status, responseOf(wrong).errors?.[0]?.extensions.code], [400, 'BAD_REQUEST'])
  const rubbish = '{ nothing }'
  await send(bodyOf({ query: rubbish, extensions: extensions(sha(rubbish)) }))
  for (const text of ['{ tags { id } }', rubbish]) {
    const answer = responseOf(await send(bodyOf({ extensions: extensions(sha(text)) })))
    assert.equal(answer.errors?.[0]?.extensions.code, 'PERSISTED_QUERY_NOT_FOUND')
  }
})

test('the cache is bounded and drops the oldest texts first', async () => {
  const { send } = fakeGraphql({ answers: [rows], caches: new CacheBudget(2_097_152) })
  const texts = Array.from({ length: 500 }, (_, index) => `{ posts { id } } #${index}${'x'.repeat(3000)}`)
  for (const text of texts) await send(bodyOf({ query: text, extensions: extensions(sha(text)) }))
  const known = async (text: string) =>
    responseOf(await send(bodyOf({ extensions: extensions(sha(text)) }))).errors === undefined
  assert.equal(await known(texts[0]!), false)
  assert.equal(await known(texts[499]!), true)
})

test('trusted documents can be named by their hash, and with trustedOnly no other document runs', async () => {
  const trusted = new Map([['posts-1', query]])
  const open = fakeGraphql({ answers: [rows], trusted })
  assert.deepEqual(responseOf(await open.send(bodyOf({ documentId: 'posts-1' }))).data, data)
  assert.deepEqual((await open.run('{ posts { title } }')).data, data)

  const closed = fakeGraphql({ answers: [rows], trusted, trustedOnly: true })
  assert.deepEqual(responseOf(await closed.send(bodyOf({ documentId: 'posts-1' }))).data, data)
  assert.deepEqual((await closed.run(query)).data, data)
  const other = '{ posts { title } }'
  const rejected: [object, number, string][] = [
    [{ query: other }, 403, 'FORBIDDEN'],
    [{ query: other, extensions: extensions(sha(other)) }, 403, 'FORBIDDEN'],
    [{ query: '{ __schema { types { name } } }' }, 403, 'FORBIDDEN'],
    [{ extensions: extensions(sha(other)) }, 400, 'PERSISTED_QUERY_NOT_FOUND'],
  ]
  for (const [body, status, code] of rejected) {
    const reply = await closed.send(bodyOf(body))
    assert.deepEqual([reply.status, responseOf(reply).errors?.[0]?.extensions.code], [status, code])
  }
})
