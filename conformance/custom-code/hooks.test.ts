// Hooks of custom code: `before` and `after` a write, in its transaction, through both APIs.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { anonymous, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import { ApiError } from '../../packages/twain/src/base/index.ts'
import type { AppliedWrite, Context, PendingWrite, ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { graphqlData, openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type User @account(login: "name") @allow { id: ID! name: String! @unique }
  type Post @allow(to: [READ]) @allow(role: "writer") {
    id: ID! title: String! @unique words: Int! @default(value: 0) by: String @default(value: "nobody")
    comments: [Comment!]! tags: [Tag!]!
  }
  type Comment @allow { id: ID! body: String! post: Post! @relation(onDelete: CASCADE) }
  type Tag @allow { id: ID! name: String! posts: [Post!]! }
  type Note @allow { id: ID! text: String! }
`

/** Set by each test. */
let code: {
  before?: Record<string, (write: PendingWrite, context: Context) => unknown>
  after?: Record<string, (write: AppliedWrite, context: Context) => unknown>
} = {}
const received: unknown[] = []

const service: ServiceCode = {
  before: {
    Post: (write, context) => code.before?.Post?.(write, context),
    Comment: (write, context) => code.before?.Comment?.(write, context),
  },
  after: {
    Post: (write, context) => code.after?.Post?.(write, context),
    Comment: (write, context) => code.after?.Comment?.(write, context),
    Note: (write, context) => code.after?.Note?.(write, context),
  },
}

const writer: Viewer = { ...anonymous, authenticated: true, roles: ['writer'] }

describe('hooks', () => {
  let apis: TestApis
  let asWriter: TestApis
  let failures: unknown[]
  before(async () => {
    failures = []
    const own = { service, onError: (error: unknown) => failures.push(error) }
    apis = await openApis(sdl, {}, undefined, undefined, undefined, own)
    asWriter = { ...apis, ...apis.as(writer) }
  })
  after(() => apis.close())
  beforeEach(() => {
    code = {}
    received.length = 0
    failures.length = 0
  })

  const listen = () => {
    const note = (hook: string, type: string) => (write: PendingWrite | AppliedWrite) =>
      void received.push([hook, type, write])
    code = {
      before: { Post: note('before', 'Post'), Comment: note('before', 'Comment') },
      after: { Post: note('after', 'Post'), Comment: note('after', 'Comment') },
    }
  }

  test('before gets the old row and the row as it would be written, after gets the written row', async () => {
    listen()
    const made = (await restBody(asWriter, 'POST', '/posts', { title: 'one' })) as { id: string }
    const row = { id: made.id, title: 'one', words: 0, by: 'nobody', _version: 1 }
    assert.deepEqual(received.splice(0), [
      ['before', 'Post', { kind: 'create', id: made.id, row: null, next: row }],
      ['after', 'Post', { kind: 'created', id: made.id, row }],
    ])
    await graphqlData(asWriter, 'mutation ($id: ID!) { updatePost(id: $id, words: 7) { id } }', { id: made.id })
    assert.deepEqual(received.splice(0), [
      ['before', 'Post', { kind: 'update', id: made.id, row, next: { ...row, words: 7, _version: 2 } }],
      ['after', 'Post', { kind: 'updated', id: made.id, row: { ...row, words: 7, _version: 2 } }],
    ])
    await restBody(asWriter, 'PATCH', `/posts/${made.id}`, { words: 7 }) // no change, no hook
    assert.deepEqual(received.splice(0), [])
    await restBody(asWriter, 'DELETE', `/posts/${made.id}`)
    assert.deepEqual(received.splice(0), [
      ['before', 'Post', { kind: 'delete', id: made.id, row: { ...row, words: 7, _version: 2 }, next: null }],
      ['after', 'Post', { kind: 'deleted', id: made.id, row: null }],
    ])
  })

  test('hooks run for nested rows, cascades, batches and transactions too', async () => {
    listen()
    const names = () =>
      received
        .splice(0)
        .map((one) =>
          (one as [string, string, PendingWrite])
            .flatMap((part) => (typeof part === 'object' ? part.kind : part))
            .join(' '),
        )
    const created = 'mutation { createPost(input: {title: "kids", comments: [{body: "a"}, {body: "b"}]}) { id } }'
    const { id } = (await graphqlData(asWriter, created)).createPost as { id: string }
    assert.deepEqual(names(), [
      'before Post create',
      ...['before Comment create', 'before Comment create'],
      'after Post created',
      ...['after Comment created', 'after Comment created'],
    ])
    await restBody(asWriter, 'DELETE', `/posts/${id}`)
    assert.deepEqual(names().toSorted(), [
      ...['after Comment deleted', 'after Comment deleted', 'after Post deleted'],
      ...['before Comment delete', 'before Comment delete', 'before Post delete'],
    ])
    await restBody(asWriter, 'POST', '/posts', [{ title: 'b1' }, { title: 'b2' }])
    assert.deepEqual(names(), ['before Post create', 'before Post create', 'after Post created', 'after Post created'])
    await graphqlData(
      asWriter,
      'mutation @transaction { p: createPost(input: {title: "t"}) { id } createComment(input: {body: "c", post: "$p.id"}) { id } }',
    )
    assert.deepEqual(names(), [
      ...['before Post create', 'before Comment create'],
      ...['after Post created', 'after Comment created'],
    ])
  })

  test('a write that a hook refuses is not made, and both APIs answer with the error of the hook', async () => {
    const refusal = () => {
      throw new ApiError('CONFLICT', 'Not on a Sunday.', { hint: 'Come on Monday.' })
    }
    for (const hook of ['before', 'after'] as const) {
      code = { [hook]: { Post: refusal } }
      const rest = await asWriter.rest('POST', '/posts', { title: 'sunday' })
      assert.deepEqual([rest.status, (rest.body as { code: string }).code], [409, 'CONFLICT'])
      assert.match((rest.body as { detail: string }).detail, /Not on a Sunday\./)
      const { errors } = await asWriter.graphql('mutation { createPost(input: {title: "sunday"}) { id } }')
      assert.deepEqual([errors[0]?.message, errors[0]?.extensions?.code], ['Not on a Sunday.', 'CONFLICT'])
    }
    code = { before: { Post: () => Promise.reject({ code: 'CONFLICT', message: 'Of another class.' }) } }
    const other = await asWriter.rest('POST', '/posts', { title: 'sunday' })
    assert.deepEqual([other.status, (other.body as { detail: string }).detail], [409, 'Of another class.'])
    code = {}
    assert.equal(await count('posts', 'title=sunday'), 0)
  })

  test('writes of a hook are in the same transaction: committed or rolled back with it, and visible inside it at once', async () => {
    code = {
      after: {
        async Post({ id, row }, { write, read, system }) {
          const comment = await write.Comment!.create({ body: 'first', post: id })
          assert.equal((await read.Comment!.get(comment.id))?.post, id)
          assert.equal(await read.Comment!.count({ where: { post: { id: { eq: id } } } }), 1)
          await system.write.Post!.update(id, { by: 'the hook' }) // does not call itself
          await Promise.all([1, 2, 3].map((n) => write.Note!.create({ text: `${n} of ${row?.title}` })))
        },
        Comment: ({ kind }) => void received.push(kind),
        async Note({ row }) {
          if (row?.text === '3 of bad') throw new ApiError('CONFLICT', 'No third.')
        },
      },
    }
    const good = (await restBody(asWriter, 'POST', '/posts', { title: 'good' })) as { id: string }
    const bad = await asWriter.rest('POST', '/posts', { title: 'bad' })
    code = {}
    assert.equal(bad.status, 409)
    assert.deepEqual(received, ['created', 'created'])
    assert.deepEqual(
      [
        await count('posts', 'title=bad'),
        await count('notes', 'text[endsWith]=bad'),
        await count('notes', 'text[endsWith]=good'),
      ],
      [0, 0, 3],
    )
    assert.equal(((await restBody(apis, 'GET', `/posts/${good.id}`)) as { by: string }).by, 'the hook')
    assert.equal(await count('comments', `post=${good.id}`), 1)
  })

  test('a hook can go on after a write of its own was refused', async () => {
    code = {
      after: {
        async Post({ id }, { write }) {
          await assert.rejects(write.Comment!.create({ body: 'x', post: 'nobody' }), { code: 'CONFLICT' })
          await assert.rejects(write.Post!.create({ title: 'taken' }), { code: 'CONFLICT' })
          await write.Comment!.create({ body: 'tried', post: id })
        },
      },
    }
    await restBody(asWriter, 'POST', '/posts', { title: 'taken' })
    assert.equal(await count('comments', 'body=tried'), 1)
  })

  test('code that catches the refusal by a hook of its write goes on without that write, and without what its hooks wrote', async () => {
    for (const [index, hook] of (['before', 'after'] as const).entries()) {
      const refused: unknown[] = []
      const refuse = async (_: object, { system }: Context) => {
        await system.write.Note!.create({ text: 'of-a-refused-write' })
        throw index === 0 ? new ApiError('CONFLICT', 'No comments.') : new Error('a bug of ours')
      }
      code = {
        [hook]: { Comment: refuse },
        after: {
          ...(hook === 'after' && { Comment: refuse }),
          Post: async ({ kind, id }, { system, transaction }) => {
            if (kind !== 'created') return
            const writes = [system.write.Comment!.create({ body: 'refused', post: id })]
            writes.push(transaction(({ write }) => write.Comment!.create({ body: 'refused', post: id })))
            for (const outcome of await Promise.allSettled(writes)) refused.push(outcome.status)
            await system.write.Note!.create({ text: `beside-${hook}` })
          },
        },
      }
      await restBody(asWriter, 'POST', '/posts', { title: `caught ${hook}` })
      await graphqlData(asWriter, `mutation { createPost(input: { title: "caught ${hook} again" }) { id } }`)
      assert.deepEqual(refused, ['rejected', 'rejected', 'rejected', 'rejected'])
      assert.equal(await count('comments', 'body=refused'), 0)
      assert.equal(await count('notes', 'text=of-a-refused-write'), 0)
      assert.equal(await count('notes', `text=beside-${hook}`), 2)
    }
  })

  test('rules come first: no hook runs for a viewer who may not write, and its context obeys the rules of the viewer', async () => {
    listen()
    assert.equal((await apis.rest('POST', '/posts', { title: 'unknown' })).status, 401)
    assert.equal((await asWriter.rest('POST', '/posts', { title: 'b1' })).status, 409)
    assert.deepEqual(received.splice(0), [])
    code = {
      after: {
        async Comment({ row }, { viewer, write }) {
          received.push([viewer.authenticated, viewer.roles])
          await write.Post!.update(String(row?.post), { words: 1 })
        },
      },
    }
    const [post] = (await restBody(apis, 'GET', '/posts?title=b1')) as { id: string }[]
    assert.equal((await apis.rest('POST', '/comments', { body: 'hm', post: post!.id })).status, 401)
    assert.equal((await asWriter.rest('POST', '/comments', { body: 'hm', post: post!.id })).status, 201)
    assert.deepEqual(received, [
      [false, []],
      [true, ['writer']],
    ])
    assert.equal(await count('comments', 'body=hm'), 1)
  })

  test('a hook that fails gives a 500 with an id, and nothing is written', async () => {
    code = {
      before: {
        Post() {
          throw new Error('a bug of ours')
        },
      },
    }
    const { status, errors } = await asWriter.graphql('mutation { createPost(input: {title: "bug"}) { id } }')
    assert.deepEqual([status, errors[0]?.extensions?.code], [200, 'INTERNAL'])
    assert.doesNotMatch(JSON.stringify(errors), /a bug of ours/)
    assert.match(String(failures[0]), /a bug of ours/)
    assert.equal(await count('posts', 'title=bug'), 0)
  })

  test('a hook that exceeds its timeout gives a 503, nothing is written, and other writes go on', async () => {
    const short = await openApis(sdl, {}, undefined, undefined, undefined, { service, maxCodeMs: 300 })
    try {
      await takesTooLong({ ...short, ...short.as(writer) })
    } finally {
      await short.close()
    }
  })

  async function takesTooLong(apis: TestApis): Promise<void> {
    let late: Promise<unknown> | undefined
    code = {
      after: {
        Post: (_told, { write }) =>
          new Promise((_resolve, reject) => {
            const after = new Promise((done) => setTimeout(done, 1500))
            late = after.then(() => write.Note!.create({ text: 'late' })).catch((error) => reject(error) ?? error)
          }),
      },
    }
    const [slow, other] = await Promise.all([
      apis.rest('POST', '/posts', { title: 'slow' }),
      apis.rest('POST', '/notes', { text: 'meanwhile' }),
    ])
    assert.deepEqual([slow.status, (slow.body as { code: string }).code, other.status], [503, 'UNAVAILABLE', 201])
    const { detail } = slow.body as { detail: string }
    assert.equal(detail, 'The custom code of the write took longer than 0.32 s and was stopped; nothing was written.')
    assert.match(String(await late), /the transaction has ended/)
    code = {}
    assert.deepEqual([await restBody(apis, 'GET', '/posts'), await restBody(apis, 'GET', '/notes?text=late')], [[], []])
    await restBody(apis, 'POST', '/posts', { title: 'slow' })
  }

  test('with an idempotency key a write and its hooks run once', async () => {
    listen()
    const key = { 'idempotency-key': 'k1' }
    const first = await asWriter.rest('POST', '/posts', { title: 'once' }, key)
    const again = await asWriter.rest('POST', '/posts', { title: 'once' }, key)
    assert.deepEqual([first.status, again.status, again.body], [201, 201, first.body])
    assert.deepEqual(received.length, 2)
  })

  test('concurrent writes run their hooks each with its own rows', async () => {
    code = {
      after: { Post: ({ id }, { write }) => write.Comment!.create({ body: 'along', post: id }) },
    }
    const titles = Array.from({ length: 30 }, (_, n) => `many ${n % 20}`)
    const made = await Promise.all(titles.map((title) => asWriter.rest('POST', '/posts', { title })))
    assert.deepEqual([...new Set(made.map(({ status }) => status))].toSorted(), [201, 409])
    assert.equal(made.filter(({ status }) => status === 201).length, 20)
    assert.equal(await count('comments', 'body=along'), 20)
  })

  async function count(path: string, filter: string): Promise<number> {
    return ((await restBody(asWriter, 'GET', `/${path}?${filter}&limit=100`)) as unknown[]).length
  }
})
