// Rows that @softDelete hides, under other versions of the schema, after a restart, and when their time is over.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ChangingService } from '../harness/changing-service.ts'
import { until } from '../harness/until.ts'

const schema = (directive: string, more = '') => `
  type Post ${directive} @allow { id: ID! slug: String @unique title: String! ${more} comments: [Comment!]! }
  type Comment @allow { id: ID! text: String! post: Post! @relation(onDelete: CASCADE) }
`

interface Row {
  id: string
  [name: string]: unknown
}

const rows = async (service: ChangingService, path: string) => (await service.rest('GET', path)).body as Row[]

async function make(service: ChangingService, slug: string): Promise<Row> {
  const { body } = await service.rest('POST', '/posts', { slug, title: slug })
  await service.rest('POST', '/comments', { text: slug, post: (body as Row).id })
  return body as Row
}

test('every version of the schema leaves hidden rows out, and its unique values are free', async () => {
  const service = await ChangingService.open(schema(''))
  try {
    const kept = await make(service, 'kept')
    await service.change(schema('@softDelete'))
    const gone = await make(service, 'gone')
    assert.equal((await service.rest('DELETE', `/posts/${gone.id}`)).status, 204)
    await service.change(schema('@softDelete', 'name: String @was(name: "head") words: Int! @default(value: 3)'))
    assert.deepEqual(
      (await rows(service, '/posts?deleted=only&fields=id,words')).map(({ id, words }) => [id, words]),
      [[gone.id, 3]],
    )
    await service.change(schema(''))
    assert.deepEqual(
      (await rows(service, '/posts')).map(({ id }) => id),
      [kept.id],
    )
    assert.equal((await rows(service, '/comments')).length, 1)
    assert.equal((await service.rest('GET', `/posts/${gone.id}`)).status, 404)
    const taken = await service.rest('POST', '/posts', { slug: 'gone', title: 'again' })
    assert.equal(taken.status, 201)
    assert.equal((await service.rest('POST', `/posts/${gone.id}/restorations`)).status, 404)
    await service.change(schema('@softDelete'))
    assert.equal((await service.rest('POST', `/posts/${gone.id}/restorations`)).status, 409)
    await service.rest('DELETE', `/posts/${(taken.body as Row).id}?purge=true`)
    assert.equal((await service.rest('POST', `/posts/${gone.id}/restorations`)).status, 200)
    assert.equal((await rows(service, '/comments')).length, 2)
  } finally {
    await service.close()
  }
})

test('events say deleted and created; when the time is over, the row is gone without another event', async () => {
  const service = await ChangingService.open(schema('@softDelete(keep: "1s")'))
  try {
    const post = await make(service, 'one')
    await service.rest('DELETE', `/posts/${post.id}`)
    await service.rest('POST', `/posts/${post.id}/restorations`)
    await service.rest('DELETE', `/posts/${post.id}`)
    await service.pause(() => sleep(1200))
    await until(
      () => rows(service, '/posts?deleted=only'),
      (found) => found.length === 0,
    )
    assert.equal((await service.rest('POST', `/posts/${post.id}/restorations`)).status, 404)
    const events = await until(
      async () => (await service.rest('GET', '/changes?first=50')).body as { edges: { node: { type: string } }[] },
      ({ edges }) => edges.length >= 8,
    )
    const kinds = ['created', 'deleted', 'created', 'deleted']
    const typesOf = (name: string) => events.edges.map(({ node }) => node.type).filter((type) => type.startsWith(name))
    assert.deepEqual(
      typesOf('post'),
      kinds.map((kind) => `post.${kind}`),
    )
    assert.deepEqual(
      typesOf('comment'),
      kinds.map((kind) => `comment.${kind}`),
    )
  } finally {
    await service.close()
  }
})
