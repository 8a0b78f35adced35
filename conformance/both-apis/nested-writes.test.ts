// `_tags: {connect, disconnect, create, update, delete}`: writes of the rows of a list along with the row that has it, through both
// APIs (docs/reference/rest.md, R59).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { anonymous } from '../../packages/twain/src/base/http/index.ts'
import type { AppliedWrite, PendingWrite, ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { graphqlData, openApis, restBody, type TestApis, uploadFile } from '../harness/open-apis.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = `
  type Post @allow {
    id: ID! title: String! words: Int tags: [Tag!]! comments: [Comment!]! notes: [Note!]! photos: [File!]!
    related: [Related!]! topic: Topic
  }
  type Tag @allow { id: ID! name: String! @unique @constraint(minLength: 2) uses: Int posts: [Post!]! synonyms: [Synonym!]! }
  type Synonym @allow { id: ID! word: String! tag: Tag! @relation(onDelete: CASCADE) }
  type Comment @allow { id: ID! body: String! place: Int post: Post! replies: [Reply!]! }
  type Reply @allow { id: ID! body: String! comment: Comment! @relation(onDelete: CASCADE) }
  type Note @allow { id: ID! text: String! @unique post: Post }
  type Topic @allow { id: ID! name: String! posts: [Post!]! }
  union Related = Post | Topic
`

interface Refusal {
  status: number
  code: string
  detail: string
  errors: { path: string; pointer?: string; code: string; message: string }[]
}

/** What both APIs select. */
const fields = 'title,tags.name,comments.body,notes.text'
const selection = '{ id title tags(orderBy: {name: ASC}) { name } comments { body } notes { text } }'

describe('nested writes', () => {
  let apis: TestApis
  let count = 0
  before(async () => {
    apis = await openApis(sdl)
  })
  after(() => apis.close())

  /** A name that no other row has. */
  const fresh = (word: string) => `${word}${++count}`
  const make = async (path: string, body: object) => (await restBody(apis, 'POST', `/${path}`, body)) as { id: string }
  const read = async (id: string) =>
    (await restBody(apis, 'GET', `/posts/${id}?fields=${fields},_version`)) as Record<string, unknown>

  /** Each write through each API, on rows of its own. */
  const update = {
    rest: async (id: string, input: object) => apis.rest('PATCH', `/posts/${id}`, input),
    graphql: async (id: string, input: object) => {
      const query = `mutation ($id: ID!, $input: UpdatePostInput) { updatePost(id: $id, input: $input) ${selection} }`
      const { data, errors } = await apis.graphql(query, { id, input })
      const status = errors.length === 0 ? 200 : 400
      return { status, body: data?.updatePost ?? errors }
    },
  }

  for (const [api, send] of Object.entries(update)) {
    test(`${api}: an update connects, disconnects, creates, updates and deletes rows of a many-to-many list`, async () => {
      const [one, two, three, four] = await Promise.all(
        ['one', 'two', 'three', 'four'].map((name) => make('tags', { name: fresh(name) })),
      )
      const { id } = await make('posts', { title: 'a', tags: [two!.id, three!.id, four!.id] })
      const renamed = fresh('renamed')
      const created = fresh('created')
      const { status, body } = await send(id, {
        title: 'b',
        _tags: {
          connect: [one!.id],
          disconnect: [two!.id],
          create: [{ name: created, synonyms: [{ word: 'x' }] }],
          update: [{ id: four!.id, name: renamed, _increment: { uses: 1 } }],
          delete: [three!.id],
        },
      })
      assert.equal(status, 200, JSON.stringify(body))
      const { tags, title, _version } = await read(id)
      const names = (tags as { name: string }[]).map(({ name }) => name)
      const first = ((await restBody(apis, 'GET', `/tags/${one!.id}`)) as { name: string }).name
      assert.deepEqual(names.toSorted(), [created, first, renamed].toSorted())
      assert.deepEqual([title, _version], ['b', 2])
      assert.equal((await apis.rest('GET', `/tags/${three!.id}`)).status, 404)
      assert.equal((await apis.rest('GET', `/tags/${two!.id}`)).status, 200)
    })

    test(`${api}: an update writes the rows of the other side of a reference, required or not`, async () => {
      const { id } = await make('posts', { title: 'a', comments: [{ body: 'old' }, { body: 'gone' }] })
      const other = await make('posts', { title: 'other', comments: [{ body: 'moved' }] })
      const free = await make('notes', { text: fresh('free') })
      const bound = await make('notes', { text: fresh('bound'), post: id })
      const comments = (await restBody(apis, 'GET', `/posts/${id}/comments?sort=body`)) as { id: string }[]
      const [moved] = (await restBody(apis, 'GET', `/posts/${other.id}/comments`)) as { id: string }[]
      const text = fresh('new')
      const { status, body } = await send(id, {
        _comments: {
          delete: [comments[0]!.id],
          connect: [moved!.id],
          update: [{ id: comments[1]!.id, body: 'changed', _replies: { create: [{ body: 'r' }] } }],
          create: [{ body: 'new', replies: [{ body: 'deep' }] }],
        },
        _notes: { connect: [free.id], disconnect: [bound.id], create: [{ text }] },
      })
      assert.equal(status, 200, JSON.stringify(body))
      const row = await read(id)
      const bodies = (row.comments as { body: string }[]).map((one) => one.body)
      assert.deepEqual(bodies.toSorted(), ['changed', 'moved', 'new'])
      assert.equal((row.notes as object[]).length, 2)
      assert.equal(row._version, 1, 'the row itself has not changed')
      assert.deepEqual(await restBody(apis, 'GET', `/notes/${bound.id}?fields=post`), { post: null })
      assert.equal(((await restBody(apis, 'GET', `/comments/${comments[1]!.id}/replies`)) as object[]).length, 1)
    })
  }

  test('a create connects and creates rows, through both APIs', async () => {
    const tag = await make('tags', { name: fresh('tag') })
    for (const api of ['rest', 'graphql']) {
      const free = await make('notes', { text: fresh('free') })
      const input = {
        title: 'new',
        _tags: { connect: [tag.id], create: [{ name: fresh('made') }] },
        _notes: { connect: [free.id], create: [{ text: fresh('note') }] },
        _comments: { create: [{ body: 'first', _replies: { create: [{ body: 'r' }] } }] },
      }
      const query = `mutation ($input: CreatePostInput!) { createPost(input: $input) { id } }`
      const { id } =
        api === 'rest'
          ? await make('posts', input)
          : ((await graphqlData(apis, query, { input })).createPost as { id: string })
      const { tags, notes, comments, _version } = (await read(id)) as Record<string, object[]>
      assert.deepEqual([tags!.length, notes!.length, comments, _version], [2, 2, [{ body: 'first' }], 1])
    }
  })

  /** The refusal of an update by both APIs; both must leave everything as it was. */
  const refusal = async (id: string, input: object): Promise<Refusal> => {
    const before = await read(id)
    const rest = (await apis.rest('PATCH', `/posts/${id}`, input)) as { status: number; body: Refusal }
    const query = 'mutation ($id: ID!, $input: UpdatePostInput) { updatePost(id: $id, input: $input) { id } }'
    const { errors } = await apis.graphql(query, { id, input })
    assert.ok(rest.status >= 400 && rest.status < 500 && errors.length > 0, JSON.stringify([rest, errors]))
    if (errors[0]!.extensions?.code === rest.body.code) {
      const places = rest.body.errors.map(({ path, code, message }) => ({ path, code, message }))
      assert.deepEqual(errors[0]!.extensions.errors, places)
    } else assert.equal(rest.status, 400, JSON.stringify(errors)) // what its types exclude, GraphQL finds itself
    assert.deepEqual(await read(id), before)
    return { ...rest.body, status: rest.status }
  }

  test('R59: what is not in the list, or does not exist, is a conflict at its place', async () => {
    const tag = await make('tags', { name: fresh('tag') })
    const { id } = await make('posts', { title: 'a' })
    const other = await make('posts', { title: 'b', comments: [{ body: 'x' }] })
    const [comment] = (await restBody(apis, 'GET', `/posts/${other.id}/comments`)) as { id: string }[]
    const note = await make('notes', { text: fresh('note') })
    const wrong: [object, string][] = [
      [{ _tags: { disconnect: [tag.id] } }, '_tags.disconnect.0'],
      [{ _tags: { delete: [tag.id] } }, '_tags.delete.0'],
      [{ _tags: { update: [{ id: tag.id, name: 'xx' }] } }, '_tags.update.0'],
      [{ _tags: { connect: [tag.id, 'nothing'] } }, '_tags.connect.1'],
      [{ _tags: { delete: ['nothing'] } }, '_tags.delete.0'],
      [{ _comments: { delete: [comment!.id] } }, '_comments.delete.0'],
      [{ _comments: { update: [{ id: comment!.id, body: 'y' }] } }, '_comments.update.0'],
      [{ _comments: { connect: ['nothing'] } }, '_comments.connect.0'],
      [{ _notes: { disconnect: [note.id] } }, '_notes.disconnect.0'],
      [{ title: 'c', _notes: { create: [{ text: fresh('x') }], disconnect: [note.id] } }, '_notes.disconnect.0'],
    ]
    for (const [input, path] of wrong) {
      const { status, errors } = await refusal(id, input)
      assert.deepEqual([status, errors[0]!.path, errors[0]!.code], [409, path, 'REFERENCE'], JSON.stringify(input))
    }
  })

  test('mistakes of nested rows are reported together, with the place of each', async () => {
    const taken = await make('tags', { name: fresh('taken') })
    const { name } = (await restBody(apis, 'GET', `/tags/${taken.id}`)) as { name: string }
    const { id } = await make('posts', { title: 'a' })
    const invalid = await refusal(id, {
      _tags: { create: [{ name: 'ok' }, { name: 'x' }] },
      _comments: { create: [{ body: 'x', _replies: { create: [{ body: 'y' }, {}] } }] },
    })
    const pointers = invalid.errors.map(({ pointer, code }) => `${pointer} ${code}`)
    assert.ok(pointers.includes('/_comments/create/0/_replies/create/1/body REQUIRED'), String(pointers))
    const short = await refusal(id, { _tags: { create: [{ name: 'ok' }, { name: 'x' }] } })
    assert.deepEqual([short.status, short.errors[0]!.pointer], [400, '/_tags/create/1/name'])
    const unique = await refusal(id, { _tags: { create: [{ name }] } })
    assert.deepEqual([unique.status, unique.errors[0]!.pointer], [409, '/_tags/create/0/name'])
    const text = fresh('same')
    const twice = await refusal(id, { _notes: { create: [{ text }, { text }] } })
    assert.deepEqual([twice.status, twice.errors[0]!.pointer], [409, '/_notes/create/1/text'])
  })

  test('input that can do nothing is refused with a reason', async () => {
    const { id } = await make('posts', { title: 'a', comments: [{ body: 'x' }] })
    const topic = await make('topics', { name: 'a' })
    const wrong: [object, string, RegExp][] = [
      [
        { _comments: { disconnect: ['c'] } },
        '_comments.disconnect',
        /Comment.post is required. Delete the Comment, or/,
      ],
      [{ _tags: { conect: ['t'] } }, '_tags.conect', /Did you mean "connect"/],
      [{ _tags: ['t'] }, '_tags', /must be an object with disconnect, delete, connect, update, create/],
      [{ _tags: { connect: 't' } }, '_tags.connect', /must be a list/],
      [{ _tags: { connect: [{}] } }, '_tags.connect.0', /must be a string/],
      [{ _tags: { update: [{ name: 'xx' }] } }, '_tags.update.0.id', /is required/],
      [{ _tags: { create: [{ id: 'x', name: 'xx' }] } }, '_tags.create.0.id', /generated by the server/],
      [{ _tags: { create: ['x'] } }, '_tags.create.0', /must be an object/],
      [{ _comments: { create: [{ body: 'x', post: id }] } }, '_comments.create.0.post', /leave it out/],
      [{ tags: [], _tags: { connect: [] } }, '_tags', /set the list or change it/],
      [{ _photos: { create: [{}] } }, '_photos.create', /upload a file/],
      [{ _related: { delete: [topic.id] } }, '_related.delete', /several types/],
      [{ _topic: { connect: [topic.id] } }, '_topic', /is not a field of Post/],
    ]
    for (const [input, path, message] of wrong) {
      const { status, errors } = await refusal(id, input)
      assert.deepEqual([status, errors[0]!.path], [400, path], JSON.stringify([input, errors]))
      assert.match(errors[0]!.message, message)
    }
    const single = await apis.rest('PATCH', `/posts/${id}`, { _tags: { create: { name: 'xx' } } })
    assert.equal((single.body as Refusal).errors[0]!.path, '_tags.create', 'only GraphQL takes one item as a list')
    for (const [method, path] of [
      ['PUT', `/posts/${id}`],
      ['POST', '/posts'],
    ] as const) {
      const input = { title: 'a', _tags: { disconnect: ['t'] } }
      assert.equal((await apis.rest(method, path, input)).status, 400)
    }
    const headers = { 'content-type': 'application/json-patch+json' }
    const patch = [{ op: 'add', path: '/_tags', value: { connect: [] } }]
    assert.equal((await apis.rest('PATCH', `/posts/${id}`, patch, headers)).status, 400)
  })

  test('null and empty lists change nothing', async () => {
    const { id } = await make('posts', { title: 'a' })
    for (const nothing of [null, {}, { connect: null, create: [] }, { connect: [], delete: [], update: [] }]) {
      await restBody(apis, 'PATCH', `/posts/${id}`, { _tags: nothing, _notes: nothing })
    }
    assert.equal((await read(id))._version, 1)
  })

  test('delete comes before create, so a unique value is free again', async () => {
    const text = fresh('same')
    const { id } = await make('posts', { title: 'a' })
    const note = await make('notes', { text, post: id })
    await restBody(apis, 'PATCH', `/posts/${id}`, { _notes: { create: [{ text }], delete: [note.id] } })
    assert.deepEqual((await read(id)).notes, [{ text }])
  })

  test('a list of several types, and one of files, are connected and disconnected', async () => {
    const topic = await make('topics', { name: 'a' })
    const { id } = await make('posts', { title: 'a', _related: { connect: [`Topic:${topic.id}`] } })
    const related = async () => ((await restBody(apis, 'GET', `/posts/${id}/related`)) as object[]).length
    assert.equal(await related(), 1)
    await restBody(apis, 'PATCH', `/posts/${id}`, { _related: { disconnect: [topic.id] } })
    assert.equal(await related(), 0)
    const file = await uploadFile(apis, Buffer.from('bytes'), anonymous)
    const query =
      'mutation ($id: ID!, $by: ChangePostPhotosInput) { updatePost(id: $id, _photos: $by) { photos { id } } }'
    const connected = await graphqlData(apis, query, { id, by: { connect: [file] } })
    assert.deepEqual(connected.updatePost, { photos: [{ id: file }] })
    const emptied = await graphqlData(apis, query, { id, by: { disconnect: [file] } })
    assert.deepEqual(emptied.updatePost, { photos: [] })
  })

  test('arguments, batches, transactions and arrays take the same members', async () => {
    const tag = await make('tags', { name: fresh('tag') })
    const [one, two] = (await restBody(apis, 'POST', '/posts?fields=id,tags.id', [
      { title: 'a', _tags: { connect: [tag.id] } },
      { title: 'b', _comments: { create: [{ body: 'x' }] } },
    ])) as { id: string; tags: object[] }[]
    assert.deepEqual([one!.tags.length, two!.tags.length], [1, 0])
    const argument = `mutation ($id: ID!) { updatePost(id: $id, _comments: {create: [{body: "y"}]}) { comments { body } } }`
    const { updatePost } = await graphqlData(apis, argument, { id: two!.id })
    assert.equal((updatePost as { comments: object[] }).comments.length, 2)
    const batch = (await restBody(apis, 'POST', '/batch', [
      { method: 'POST', path: '/tags', body: { name: fresh('tag') } },
      { method: 'POST', path: '/notes', body: { text: fresh('note') } },
      {
        method: 'PATCH',
        path: `/posts/${one!.id}?fields=tags.id,notes.id`,
        body: { _tags: { connect: ['$0.id'] }, _notes: { connect: ['$1.id'] } },
      },
    ])) as { body: { tags: object[]; notes: object[] } }[]
    assert.deepEqual([batch[2]!.body.tags.length, batch[2]!.body.notes.length], [2, 1])
    const transaction = `mutation ($id: ID!, $text: String!) @transaction {
      note: createNote(input: {text: $text}) { id }
      post: updatePost(id: $id, _notes: {connect: ["$note.id"], update: [{id: "$note.id", text: "${fresh('t')}"}]}) { notes { id } } }`
    const { note, post } = (await graphqlData(apis, transaction, { id: two!.id, text: fresh('t') })) as Record<
      string,
      { id: string; notes: object[] }
    >
    assert.deepEqual(post!.notes, [{ id: note!.id }])
  })

  test('XML has the same members', async () => {
    const tag = await make('tags', { name: fresh('tag') })
    const xml = `<post><title>x</title><_tags><connect><item>${tag.id}</item></connect></_tags>
      <_comments><create><item><body>y</body></item></create></_comments></post>`
    const headers = { 'content-type': 'application/xml' }
    const path = '/posts?fields=tags.id,comments.body'
    const reply = await apis.send('rest', { method: 'POST', path, headers, body: xml })
    assert.deepEqual(JSON.parse(String(reply.body)), { tags: [{ id: tag.id }], comments: [{ body: 'y' }] })
  })

  test('a repeated request with its idempotency key writes its rows once', async () => {
    const { id } = await make('posts', { title: 'a' })
    const body = { _comments: { create: [{ body: 'x' }] } }
    const send = () => apis.rest('PATCH', `/posts/${id}`, body, { 'idempotency-key': '"nested"' })
    assert.deepEqual([(await send()).status, (await send()).status], [200, 200])
    assert.equal(((await read(id)).comments as object[]).length, 1)
  })

  test('a version is that of the row alone', async () => {
    const { id } = await make('posts', { title: 'a', comments: [{ body: 'x' }] })
    const [comment] = (await restBody(apis, 'GET', `/posts/${id}/comments`)) as { id: string }[]
    const body = { _comments: { update: [{ id: comment!.id, body: 'y' }] } }
    assert.equal((await apis.rest('PATCH', `/posts/${id}`, body, { 'if-match': '"7"' })).status, 412)
    assert.equal((await apis.rest('PATCH', `/posts/${id}`, body, { 'if-match': '"1"' })).status, 200)
    assert.deepEqual([(await read(id))._version, (await read(id)).comments], [1, [{ body: 'y' }]])
  })

  test('nested rows count as writes of one transaction, and cost as objects', async () => {
    const small = await openApis(sdl, { transaction: 3, cost: 60 })
    try {
      const { id } = (await restBody(small, 'POST', '/posts', { title: 'a' })) as { id: string }
      const rows = (count: number) => Array.from({ length: count }, (_, n) => ({ body: String(n) }))
      const body = { _comments: { create: rows(2) }, _tags: { connect: ['a', 'b'] } }
      const { status, body: problem } = await small.rest('PATCH', `/posts/${id}`, body)
      assert.deepEqual([status, (problem as Refusal).errors[0]!.path], [400, '_tags.connect'])
      const deep = { _comments: { create: [{ body: 'x', _replies: { create: rows(3) } }] } }
      assert.equal((await small.rest('PATCH', `/posts/${id}`, deep)).status, 400)
      assert.equal((await small.rest('PATCH', `/posts/${id}`, { _comments: { create: rows(3) } })).status, 200)
    } finally {
      await small.close()
    }
    const costly = await openApis(sdl, { cost: 60 })
    try {
      const query = 'mutation ($input: CreatePostInput!) { createPost(input: $input) { id } }'
      const input = (count: number) => ({ title: 'a', _comments: { create: Array(count).fill({ body: 'x' }) } })
      assert.deepEqual((await costly.graphql(query, { input: input(20) })).errors, [])
      const { errors } = await costly.graphql(query, { input: input(40) })
      assert.equal(errors[0]!.extensions!.code, 'QUERY_TOO_COSTLY')
    } finally {
      await costly.close()
    }
  })

  test('a delete that would take the row itself along is a conflict', async () => {
    const cyclic = await openApis(`
      type Post @allow { id: ID! comments: [Comment!]! @relation(inverse: "post") top: Comment @relation(onDelete: CASCADE) }
      type Comment @allow { id: ID! post: Post }`)
    try {
      const { id } = (await restBody(cyclic, 'POST', '/posts', { _comments: { create: [{}] } })) as { id: string }
      const [comment] = (await restBody(cyclic, 'GET', `/posts/${id}/comments`)) as { id: string }[]
      await restBody(cyclic, 'PATCH', `/posts/${id}`, { top: comment!.id })
      const reply = await cyclic.rest('PATCH', `/posts/${id}`, { _comments: { delete: [comment!.id] } })
      assert.equal(reply.status, 409, JSON.stringify(reply.body))
      assert.equal((await cyclic.rest('GET', `/posts/${id}`)).status, 200)
    } finally {
      await cyclic.close()
    }
  })

  test('hooks and custom code see each row', async () => {
    const seen: string[] = []
    const service: ServiceCode = {
      resolvers: {
        Mutation: {
          tagged: ({ id, name }, { write }) => write.Post!.update(String(id), { _tags: { create: [{ name }] } }),
        },
      },
      before: {
        Tag: ({ kind, next }: PendingWrite) => void seen.push(`before ${kind} Tag ${next?.name}`),
        Comment: ({ kind, row }: PendingWrite) => void seen.push(`before ${kind} Comment ${row?.body}`),
      },
      after: { Comment: ({ kind }: AppliedWrite) => void seen.push(`after ${kind} Comment`) },
    }
    const own = `${sdl} type Mutation { tagged(id: ID!, name: String!): Post! }`
    const hooked = await openApis(own, {}, undefined, undefined, undefined, { service })
    try {
      const { id } = (await restBody(hooked, 'POST', '/posts', { title: 'a', comments: [{ body: 'x' }] })) as {
        id: string
      }
      const [comment] = (await restBody(hooked, 'GET', `/posts/${id}/comments`)) as { id: string }[]
      seen.length = 0
      const changes = {
        _tags: { create: [{ name: 'sea' }] },
        _comments: { delete: [comment!.id], create: [{ body: 'y' }] },
      }
      await restBody(hooked, 'PATCH', `/posts/${id}`, changes)
      assert.deepEqual(seen, [
        'before create Tag sea',
        'before delete Comment x',
        'before create Comment undefined',
        'after deleted Comment',
        'after created Comment',
      ])
      await graphqlData(hooked, 'mutation ($id: ID!) { tagged(id: $id, name: "rope") { id } }', { id })
      assert.equal(((await restBody(hooked, 'GET', `/posts/${id}/tags`)) as object[]).length, 2)
    } finally {
      await hooked.close()
    }
  })

  test('each row has its event', async (t) => {
    const service = await TestService.open(t, sdl)
    const post = await service.succeed('POST', '/posts', { title: 'a', comments: [{ body: 'x' }] })
    const [comment] = await service.succeed('GET', `/posts/${post.id}/comments`)
    const changes = {
      title: 'b',
      _tags: { create: [{ name: 'sea' }] },
      _comments: { update: [{ id: comment.id, body: 'z' }], create: [{ body: 'y' }] },
    }
    await service.succeed('PATCH', `/posts/${post.id}`, changes)
    const feed = () => service.succeed('GET', '/changes') as Promise<{ edges: { node: { type: string } }[] }>
    const types = async () => (await feed()).edges.map(({ node }) => node.type)
    const found = await until(types, (all) => all.length === 6)
    assert.deepEqual(found.slice(2), ['tag.created', 'post.updated', 'comment.updated', 'comment.created'])
  })
})
