// The history of a row by both APIs: the same entries of one plan (docs/reference/rest.md#history, docs/reference/graphql.md#history),
// under the rules of the row as it was and as it is.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { anonymous, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import { type ApiClient, graphqlData, openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  enum Status { DRAFT OPEN }
  type Size { width: Int height: Int }
  type Tag @allow(where: {secret: {ne: true}}) @allow(role: "editor") { id: ID! label: String! secret: Boolean posts: [Post!]! @relation(inverse: "tags") }
  type Post
    @allow(where: {status: {eq: OPEN}})
    @allow(role: "editor", to: [CREATE, READ, UPDATE, DELETE])
    @allow(role: "auditor", to: [READ, AUDIT]) {
    id: ID! slug: String @unique title: String! status: Status! size: Size words: [String!] notes: JSON price: Decimal
    salary: Int @allow(role: "editor")
    hint: String @allow(to: [READ], where: {status: {eq: OPEN}}) @allow(role: "editor", to: [UPDATE, CREATE])
    tags: [Tag!]!
    changedAt: DateTime! @auto(set: UPDATE_TIME)
  }
`

const withRole = (...roles: string[]): Viewer => ({ ...anonymous, roles, authenticated: true })

interface Entry {
  kind: string
  version: number
  time: string
  by: string | null
  via: string | null
  changed: { field: string; before: unknown; after: unknown }[]
}

interface HistoryPage {
  edges: { node: Entry; cursor: string }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

let apis: TestApis
let editor: ApiClient
let id: string
let tag: string
let secret: string
before(async () => {
  apis = await openApis(sdl)
  editor = apis.as(withRole('editor'))
  tag = ((await restBody(editor, 'POST', '/tags', { label: 'sea' })) as { id: string }).id
  secret = ((await restBody(editor, 'POST', '/tags', { label: 'x', secret: true })) as { id: string }).id
  const draft = { slug: 'knots', title: 'One', status: 'DRAFT', salary: 1 }
  id = ((await restBody(editor, 'POST', '/posts', draft)) as { id: string }).id
  const patch = (body: unknown) => restBody(editor, 'PATCH', `/posts/${id}`, body)
  await patch({ title: 'Two' }) // 2: a draft
  await patch({ status: 'OPEN' }) // 3: was a draft before
  await patch({ title: 'Three', size: { width: 1, height: 2 }, words: ['a'], notes: { deep: [1] }, price: '1.50' }) // 4
  await patch({ salary: 2 }) // 5: besides the time, only what the editor may read
  await patch({ tags: [tag, secret] }) // 6
})
after(() => apis.close())

const selection = `edges { node { kind version time by via changed { field before after } } cursor } pageInfo { hasNextPage endCursor }`

/** The page of both, which must be equal and of equal plans. */
async function history(client: ApiClient, query = '', args = ''): Promise<HistoryPage> {
  apis.executed.length = 0
  const data = await graphqlData(client, `{ post(id: "${id}") { _changes${args} { ${selection} } } }`)
  const body = await restBody(client, 'GET', `/posts/${id}/changes${query}`)
  const page = (data.post as { _changes: HistoryPage })._changes
  assert.deepEqual(body, page)
  assert.deepEqual(apis.executed[0]!.plan, apis.executed[1]!.plan)
  return page
}

const fieldsOf = ({ changed }: Entry) =>
  Object.fromEntries(
    changed.filter(({ field }) => field !== 'changedAt').map(({ field, before: was, after: is }) => [field, [was, is]]),
  )

test('R171, R177: the newest entry is first, with each changed field before and after', async () => {
  const { edges, pageInfo } = await history(editor)
  assert.deepEqual(
    edges.map(({ node }) => [node.kind, node.version, fieldsOf(node)]),
    [
      ['UPDATED', 6, { tags: [[], [tag, secret]] }],
      ['UPDATED', 5, { salary: [1, 2] }],
      [
        'UPDATED',
        4,
        {
          title: ['Two', 'Three'],
          size: [null, { width: 1, height: 2 }],
          words: [null, ['a']],
          notes: [null, { deep: [1] }],
          price: [null, '1.5'],
        },
      ],
      ['UPDATED', 3, { status: ['DRAFT', 'OPEN'] }],
      ['UPDATED', 2, { title: ['One', 'Two'] }],
      ['CREATED', 1, { slug: [null, 'knots'], title: [null, 'One'], status: [null, 'DRAFT'], salary: [null, 1] }],
    ],
  )
  assert.equal(pageInfo.hasNextPage, false)
})

test('R173: a viewer sees entries of the row as readable before, after and now, and fields readable then and now', async () => {
  const { edges } = await history(apis)
  const versions = edges.map(({ node }) => node.version)
  assert.deepEqual(versions, [6, 5, 4])
  assert.deepEqual(fieldsOf(edges[0]!.node), { tags: [[], [tag]] })
  assert.deepEqual(fieldsOf(edges[1]!.node), {})
})

test('R174: who made a change is for viewers with AUDIT', async () => {
  const { edges: audited } = await history(apis.as(withRole('auditor')))
  assert.equal(audited.length, 6)
  assert.ok(audited.every(({ node }) => typeof node.by === 'string'))
  const { edges } = await history(editor)
  assert.ok(edges.every(({ node }) => node.by === null && node.via === null))
})

test('R172: pages follow each other by cursor, in a link and in pageInfo', async () => {
  const versions: number[] = []
  let cursor: string | null = null
  do {
    const after = cursor === null ? '' : `, after: "${cursor}"`
    const page: HistoryPage = await history(
      editor,
      `?first=4${cursor === null ? '' : `&after=${cursor}`}`,
      `(first: 4${after})`,
    )
    versions.push(...page.edges.map(({ node }) => node.version))
    cursor = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null
  } while (cursor !== null)
  assert.deepEqual(versions, [6, 5, 4, 3, 2, 1])
  const { headers } = await editor.rest('GET', `/posts/${id}/changes?first=4`)
  assert.match(String(headers.link), /<\/posts\/[^>]+\/changes\?first=4&after=[^>]+>; rel="next"/)
})

test('REST selects members, finds the row by a key, and repeats nothing to a client that has it', async () => {
  const page = (await restBody(editor, 'GET', '/posts/slug=knots/changes?fields=version&first=1')) as HistoryPage
  assert.deepEqual(
    page.edges.map(({ node }) => node),
    [{ version: 6 }],
  )
  const { headers } = await editor.rest('GET', `/posts/${id}/changes`)
  assert.equal(
    (await editor.rest('GET', `/posts/${id}/changes`, undefined, { 'if-none-match': String(headers.etag) })).status,
    304,
  )
})

test('mistakes have a code and a place', async () => {
  for (const [path, status, place] of [
    [`/posts/${id}/changes?after=x`, 400, 'after'],
    [`/posts/${id}/changes?fields=who`, 400, 'fields'],
    [`/posts/${id}/changes?title=x`, 400, 'title'],
    ['/posts/nobody/changes', 404, null],
    ['/posts/slug=nobody/changes', 404, null],
  ] as const) {
    const { status: sent, body } = await editor.rest('GET', path)
    assert.equal(sent, status, path)
    if (place !== null) assert.equal((body as { errors: { path: string }[] }).errors[0]?.path, place)
  }
  const { errors } = await editor.graphql(`{ post(id: "${id}") { _changes(after: "x") { edges { cursor } } } }`)
  assert.equal(errors[0]?.extensions?.code, 'VALIDATION_FAILED')
  assert.equal((await editor.rest('POST', `/posts/${id}/changes`, {})).status, 405)
})

test('a write and a list have the history too', async () => {
  const sent = `mutation { updatePost(id: "${id}", input: {title: "Four"}) { _changes(first: 1) { edges { node { version changed { field after } } } } } }`
  const written = (await graphqlData(editor, sent)).updatePost as { _changes: HistoryPage }
  assert.equal(written._changes.edges[0]!.node.version, 7)
  const { posts } = await graphqlData(editor, '{ posts { _changes(first: 2) { edges { node { version } } } } }')
  assert.deepEqual(
    (posts as { _changes: HistoryPage }[]).map(({ _changes }) => _changes.edges.map(({ node }) => node.version)),
    [[7, 6]],
  )
})

test('R173, R175: a row that a viewer may not read has no history, nor has a deleted one', async () => {
  await restBody(editor, 'PATCH', `/posts/${id}`, { status: 'DRAFT' })
  assert.equal((await apis.rest('GET', `/posts/${id}/changes`)).status, 404)
  await restBody(editor, 'DELETE', `/posts/${id}`)
  assert.equal((await editor.rest('GET', `/posts/${id}/changes`)).status, 404)
})

test('R173: a row with many versions that the viewer may not read has the others, in one page', async () => {
  const { id: row } = (await restBody(editor, 'POST', '/posts', { title: '0', status: 'DRAFT' })) as { id: string }
  const patch = (body: object) => restBody(editor, 'PATCH', `/posts/${row}`, body)
  for (let title = 1; title <= 400; title++) await patch({ title: String(title) })
  await patch({ status: 'OPEN' })
  await patch({ title: 'shown' })
  const page = (await restBody(apis, 'GET', `/posts/${row}/changes`)) as HistoryPage
  const data = await graphqlData(apis, `{ post(id: "${row}") { _changes { ${selection} } } }`)
  assert.deepEqual((data.post as { _changes: HistoryPage })._changes, page)
  assert.deepEqual(
    page.edges.map(({ node: { version } }) => version),
    [403],
  )
  assert.equal(page.pageInfo.hasNextPage, false)
})
