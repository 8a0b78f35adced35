// An earlier version of a row is put back by both APIs, as an update like any other (docs/reference/rest.md#put-a-version-back,
// docs/internals/decisions/0078-reversions.md).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { anonymous, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import { defineService } from '../../packages/twain/src/code/define-service.ts'
import {
  type ApiClient,
  graphqlData,
  openApis,
  type RestAnswer,
  restBody,
  type TestApis,
  uploadFile,
} from '../harness/open-apis.ts'
import { until } from '../harness/until.ts'

const sdl = `
  enum Status { DRAFT @next(to: [OPEN]) OPEN @next(to: [SHUT]) SHUT @next(to: [OPEN]) }
  type Size { width: Int height: Int }
  type User @account @allow(to: [READ, CREATE]) @allow(role: "editor") { id: ID! email: String! @unique name: String }
  type Tag @allow(where: {secret: {ne: true}}) @allow(role: "editor") { id: ID! label: String! secret: Boolean }
  type Page @softDelete @allow { id: ID! title: String }
  type Post
    @allow(to: READ, where: {secret: {ne: true}})
    @allow(role: "writer", to: [READ, UPDATE], where: {secret: {ne: true}})
    @allow(role: "editor") {
    id: ID! slug: String @unique title: String! status: Status! @default(value: DRAFT) secret: Boolean
    size: Size words: [String!] notes: JSON price: Decimal
    salary: Int @allow(role: "editor")
    pinned: Boolean @allow(to: READ) @allow(role: "editor")
    about: Tag tags: [Tag!]!
    code: String @immutable
    createdAt: DateTime! @auto(set: CREATE_TIME) changedAt: DateTime! @auto(set: UPDATE_TIME)
  }
`

const withRole = (...roles: string[]): Viewer => ({ ...anonymous, roles, authenticated: true })

interface Row {
  id: string
  [name: string]: unknown
}

interface PageWriter {
  revert(id: string, version: number): Promise<Row>
}

const problems = ({ body }: RestAnswer) =>
  (body as { errors?: { path: string; code: string }[] }).errors?.map(({ path, code }) => [path, code])

describe('reversions', () => {
  let apis: TestApis
  let editor: ApiClient
  let writer: ApiClient
  before(async () => {
    apis = await openApis(sdl)
    editor = apis.as(withRole('editor'))
    writer = apis.as(withRole('writer'))
  })
  after(() => apis.close())

  const make = async (path: string, body: object): Promise<Row> => (await restBody(editor, 'POST', path, body)) as Row
  const patch = (id: string, body: object) => restBody(editor, 'PATCH', `/posts/${id}`, body)
  const show = async (id: string) => (await restBody(editor, 'GET', `/posts/${id}`)) as Row
  const versionOf = async (id: string) =>
    Number(/"(\d+)-/.exec(String((await editor.rest('GET', `/posts/${id}`)).headers.etag))![1])

  const byGraphql = (id: string, version: unknown, client: ApiClient = editor, more = '') =>
    client.graphql(
      `mutation ($id: ID!, $version: Int!) { revertPost(id: $id, version: $version${more}) { id title _version } }`,
      {
        id,
        version,
      },
    )
  const byRest = (id: string, version: unknown, client: ApiClient = editor, headers = {}) =>
    client.rest('POST', `/posts/${id}/reversions`, { version }, headers)

  /** Both must answer alike, by the same plan, with this error. */
  async function refused(id: string, version: unknown, status: number, code: string, client: ApiClient = editor) {
    const now = await versionOf(id)
    const rest = await byRest(id, version, client)
    const graphql = await byGraphql(id, version, client)
    assert.equal(rest.status, status, JSON.stringify(rest.body))
    assert.equal((rest.body as { code: string }).code, code)
    assert.equal(graphql.errors[0]?.extensions?.code, code)
    assert.deepEqual(
      (graphql.errors[0]?.extensions?.errors ?? []).map((problem) => [problem.path, problem.code]),
      problems(rest),
    )
    assert.equal(await versionOf(id), now)
    return { rest, message: String((rest.body as { detail: string }).detail), problems: problems(rest) }
  }

  test('R178: the values of a version come back as one update, with a new version and an event', async () => {
    const tag = await make('/tags', { label: 'sea' })
    const first = { slug: 'knots', title: 'One', price: '1.50', notes: { deep: [1] }, about: tag.id, tags: [tag.id] }
    const { id } = await make('/posts', { ...first, size: { width: 1 }, words: ['a'], code: 'x' })
    const was = await show(id)
    await patch(id, { title: 'Two', size: null, words: null, notes: 1, price: '2', about: null, tags: [], slug: null })
    await patch(id, { title: 'Three' })
    const sent = await byRest(id, 1)
    assert.equal(sent.status, 200)
    const { changedAt, ...values } = sent.body as Row
    const { changedAt: then, ...wanted } = was
    assert.deepEqual(values, wanted)
    assert.ok(String(changedAt) >= String(then))
    assert.equal(await versionOf(id), 4)
    const tags = (await restBody(editor, 'GET', `/posts/${id}/tags`)) as Row[]
    assert.deepEqual(
      tags.map(({ id: one }) => one),
      [tag.id],
    )
    const { data } = await byGraphql(id, 3)
    assert.deepEqual(data?.revertPost, { id, title: 'Three', _version: 5 })
    assert.deepEqual(await restBody(editor, 'GET', `/posts/${id}/tags`), [])
    await byGraphql(id, 1)
    const history = (await restBody(editor, 'GET', `/posts/${id}/changes?fields=kind,version`)) as {
      edges: { node: object }[]
    }
    const updates = [6, 5, 4, 3, 2].map((version) => ({ kind: 'UPDATED', version }))
    assert.deepEqual(
      history.edges.map(({ node }) => node),
      [...updates, { kind: 'CREATED', version: 1 }],
    )
  })

  test('both APIs make the same plan', async () => {
    const { id } = await make('/posts', { title: 'One' })
    await patch(id, { title: 'Two' })
    apis.executed.length = 0
    await editor.rest('POST', `/posts/${id}/reversions?fields=id,title`, { version: 1 })
    await editor.graphql(`mutation { revertPost(id: "${id}", version: 1) { id title } }`)
    const [rest, graphql] = apis.executed.filter(({ plan }) => plan.kind === 'write')
    assert.deepEqual(graphql!.plan, rest!.plan)
    assert.deepEqual(graphql!.values, rest!.values)
  })

  test('R178: the version that the row has changes nothing; neither does one with the same values', async () => {
    const { id } = await make('/posts', { title: 'One' })
    assert.equal((await byRest(id, 1)).status, 200)
    await patch(id, { title: 'Two' })
    await patch(id, { title: 'One' })
    assert.equal((await byRest(id, 1)).status, 200)
    assert.deepEqual((await byGraphql(id, 3)).data?.revertPost, { id, title: 'One', _version: 3 })
    assert.equal(await versionOf(id), 3)
  })

  test('If-Match and ifVersion compare with the row as it is', async () => {
    const { id } = await make('/posts', { title: 'One' })
    await patch(id, { title: 'Two' })
    assert.equal((await byRest(id, 1, editor, { 'if-match': '"1-x"' })).status, 412)
    const { errors } = await byGraphql(id, 1, editor, ', ifVersion: 1')
    assert.equal(errors[0]?.extensions?.code, 'PRECONDITION_FAILED')
    assert.equal((await byRest(id, 1, editor, { 'if-match': '"2-x"' })).status, 200)
  })

  test('a version that never was is 404, one that the log has lost is 410', async () => {
    const { id } = await make('/posts', { title: 'One' })
    const { message } = await refused(id, 9, 404, 'NOT_FOUND')
    assert.match(message, /no version 9; its newest is 1/)
    assert.equal((await byRest('nobody', 1)).status, 404)
    await patch(id, { title: 'Two' })
    const left = async () => {
      await apis.forgetChanges()
      return ((await restBody(editor, 'GET', `/posts/${id}/changes`)) as { edges: unknown[] }).edges
    }
    assert.deepEqual(await until(left, (edges) => edges.length === 0), [])
    await patch(id, { title: 'Three' })
    await refused(id, 1, 410, 'GONE')
  })

  test('mistakes in the body have a code and a place', async () => {
    const { id } = await make('/posts', { title: 'One' })
    const send = async (body: unknown) => problems(await editor.rest('POST', `/posts/${id}/reversions`, body))
    assert.deepEqual(await send({}), [['version', 'REQUIRED']])
    assert.deepEqual(await send({ version: 1, versoin: 2 }), [['versoin', 'UNKNOWN']])
    assert.deepEqual(await send([]), [['', 'TYPE']])
    for (const [version, code] of [
      ['1', 'TYPE'],
      [1.5, 'TYPE'],
      [-1, 'RANGE'],
    ] as const) {
      assert.deepEqual((await refused(id, version, 400, 'VALIDATION_FAILED')).problems, [['version', code]])
    }
    await refused(id, 0, 404, 'NOT_FOUND')
    assert.equal((await editor.rest('GET', `/posts/${id}/reversions`)).status, 405)
  })

  test('a row is found by its key, and a batch has reversions', async () => {
    const { id } = await make('/posts', { title: 'One', slug: 'key' })
    await patch(id, { title: 'Two' })
    const byKey = await editor.rest('POST', '/posts/slug=key/reversions', { version: 1 })
    assert.equal((byKey.body as Row).title, 'One')
    apis.executed.length = 0
    const { revertPostBy } = await graphqlData(
      editor,
      'mutation { revertPostBy(key: {slug: "key"}, version: 2, ifVersion: 3) { id title _version } }',
    )
    assert.deepEqual(revertPostBy, { id, title: 'Two', _version: 4 })
    await editor.rest('POST', '/posts/slug=key/reversions?fields=id,title', { version: 2 })
    await editor.graphql('mutation { revertPostBy(key: {slug: "key"}, version: 2) { id title } }')
    const [, rest, graphql] = apis.executed.filter(({ plan }) => plan.kind === 'write')
    assert.deepEqual([graphql!.plan, graphql!.values], [rest!.plan, rest!.values])
    const missing = await editor.graphql('mutation { revertPostBy(key: {slug: "none"}, version: 1) { id } }')
    assert.equal(missing.errors[0]?.extensions?.code, 'NOT_FOUND')
    const operation = { method: 'POST', path: `/posts/${id}/reversions`, body: { version: 2 } }
    const [one] = (await restBody(editor, 'POST', '/batch', [operation])) as { status: number; body: Row }[]
    assert.equal(one!.status, 200)
    assert.equal(one!.body.title, 'Two')
  })

  describe('rules', () => {
    test('R179: who may not update gets 403, and 404 for a row that can not be read', async () => {
      const { id } = await make('/posts', { title: 'One' })
      await patch(id, { title: 'Two' })
      assert.equal((await byRest(id, 1, apis)).status, 401)
      await refused(id, 1, 403, 'FORBIDDEN', apis.as(withRole('reader')))
      await patch(id, { secret: true })
      await refused(id, 1, 404, 'NOT_FOUND', writer)
    })

    test('R179: a version in which the viewer could not read the row is like a lost one', async () => {
      const { id } = await make('/posts', { title: 'Hidden', secret: true })
      await patch(id, { title: 'Open', secret: false })
      await refused(id, 1, 410, 'GONE', writer)
      assert.equal((await byRest(id, 1)).status, 200)
      await refused(id, 2, 404, 'NOT_FOUND', writer)
    })

    test('R179: fields that the viewer may not read stay as they are', async () => {
      const { id } = await make('/posts', { title: 'One', salary: 1 })
      await patch(id, { title: 'Two', salary: 2 })
      assert.equal((await byRest(id, 1, writer)).status, 200)
      const now = await show(id)
      assert.deepEqual([now.title, now.salary], ['One', 2])
    })

    test('R179: a field that would change, and that the viewer may not change, is 403 with its name', async () => {
      const { id } = await make('/posts', { title: 'One', pinned: true })
      await patch(id, { title: 'Two', pinned: false })
      assert.deepEqual((await refused(id, 1, 403, 'FORBIDDEN', writer)).problems, [['pinned', 'READONLY']])
      await patch(id, { pinned: true })
      assert.equal((await byRest(id, 1, writer)).status, 200)
    })
  })

  test('R184: a state goes back by its transitions only', async () => {
    const { id } = await make('/posts', { title: 'One' })
    await patch(id, { status: 'OPEN' })
    await patch(id, { status: 'SHUT' })
    assert.deepEqual((await refused(id, 1, 409, 'CONFLICT')).problems, [['status', 'STATE']])
    assert.equal(((await byRest(id, 2)).body as Row).status, 'OPEN')
  })

  test('R184: a unique value that another row has is a conflict with its field', async () => {
    const { id } = await make('/posts', { title: 'One', slug: 'taken' })
    await patch(id, { slug: 'other' })
    await make('/posts', { title: 'Thief', slug: 'taken' })
    assert.deepEqual((await refused(id, 1, 409, 'CONFLICT')).problems, [['slug', 'UNIQUE']])
  })

  test('R185: a reference or a link to a row that is gone, or that the viewer may not read, stays as it is', async () => {
    const [gone, kept, secret] = [
      await make('/tags', { label: 'gone' }),
      await make('/tags', { label: 'kept' }),
      await make('/tags', { label: 'secret', secret: true }),
    ]
    const { id } = await make('/posts', { title: 'One', about: gone.id, tags: [gone.id, kept.id, secret.id] })
    await patch(id, { title: 'Two', about: kept.id, tags: [] })
    await restBody(editor, 'DELETE', `/tags/${gone.id}`)
    assert.equal((await byRest(id, 1, writer)).status, 200)
    const now = await show(id)
    assert.deepEqual([now.title, now.about], ['One', kept.id])
    const linked = async () => ((await restBody(editor, 'GET', `/posts/${id}/tags`)) as Row[]).map(({ id: one }) => one)
    assert.deepEqual(await linked(), [kept.id])
    await byRest(id, 1)
    assert.deepEqual((await linked()).toSorted(), [kept.id, secret.id].toSorted())
    const { id: other } = await make('/posts', { title: 'One', about: secret.id })
    await patch(other, { about: kept.id })
    await byRest(other, 1, writer)
    assert.equal((await show(other)).about, kept.id)
  })

  test('R185: the login of an account stays', async () => {
    const { id } = await make('/users', { email: 'ann@example.org', name: 'Ann', password: 'correct horse' })
    await restBody(editor, 'PATCH', `/users/${id}`, { email: 'eve@example.org', name: 'Eve' })
    const { body } = await editor.rest('POST', `/users/${id}/reversions`, { version: 1 })
    assert.deepEqual([(body as Row).name, (body as Row).email], ['Ann', 'eve@example.org'])
  })

  test('an idempotency key repeats the answer, and not the reversion', async () => {
    const { id } = await make('/posts', { title: 'One' })
    await patch(id, { title: 'Two' })
    const headers = { 'idempotency-key': 'revert-once' }
    await byRest(id, 1, editor, headers)
    await patch(id, { title: 'Three' })
    assert.equal((await byRest(id, 1, editor, headers)).headers['idempotent-replayed'], 'true')
    assert.equal((await show(id)).title, 'Three')
  })

  test('a deleted row is restored first', async () => {
    const { id } = await make('/pages', { title: 'One' })
    await restBody(editor, 'PATCH', `/pages/${id}`, { title: 'Two' })
    await restBody(editor, 'DELETE', `/pages/${id}`)
    const send = (version: number) => editor.rest('POST', `/pages/${id}/reversions`, { version })
    assert.equal((await send(1)).status, 404)
    await restBody(editor, 'POST', `/pages/${id}/restorations`)
    assert.equal((await send(3)).status, 410) // the delete
    assert.equal(((await send(1)).body as Row).title, 'One')
  })
})

test('R185: a file of an earlier version comes back, whoever uploaded it', async () => {
  const apis = await openApis('type Page @allow { id: ID! title: String photo: File }')
  try {
    const uploaded = () => uploadFile(apis, new Uint8Array([1, 2, 3]), withRole('admin'))
    const [first, second] = [await uploaded(), await uploaded()]
    const { id } = (await restBody(apis, 'POST', '/pages', { title: 'One', photo: first })) as Row
    await restBody(apis, 'PATCH', `/pages/${id}`, { title: 'Two', photo: second })
    const { photo } = (await restBody(apis, 'POST', `/pages/${id}/reversions`, { version: 1 })) as Row
    assert.equal(photo, first)
  } finally {
    await apis.close()
  }
})

test('hooks run as for an update, and custom code has reversions', async () => {
  const seen: unknown[] = []
  const service = defineService({
    before: {
      Page: ({ kind, row, next }: { kind: string; row: Row | null; next: Row | null }) => {
        seen.push([kind, row?.title, next?.title])
      },
    },
    resolvers: {
      Mutation: {
        undo: async ({ id }: { id: string }, { write }: { write: { Page: PageWriter } }) =>
          (await write.Page.revert(id, 1)).title,
      },
    },
  } as never)
  const sdl2 = 'type Page @allow { id: ID! title: String } extend type Mutation { undo(id: ID!): String @allow }'
  const apis = await openApis(sdl2, {}, undefined, undefined, undefined, { service })
  try {
    const { id } = (await restBody(apis, 'POST', '/pages', { title: 'One' })) as Row
    await restBody(apis, 'PATCH', `/pages/${id}`, { title: 'Two' })
    seen.length = 0
    await restBody(apis, 'POST', `/pages/${id}/reversions`, { version: 1 })
    await restBody(apis, 'PATCH', `/pages/${id}`, { title: 'Three' })
    const { undo } = await graphqlData(apis, `mutation { undo(id: "${id}") }`)
    assert.equal(undo, 'One')
    assert.deepEqual(seen, [
      ['update', 'Two', 'One'],
      ['update', 'One', 'Three'],
      ['update', 'Three', 'One'],
    ])
  } finally {
    await apis.close()
  }
})
