// `@was`: types, fields and enum values get other names. Rows and log stay unchanged, and clients that use the old names (aliases)
// still work, on both APIs.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { ChangingService, warned } from '../harness/changing-service.ts'
import { until } from '../harness/until.ts'

const before = `
interface Named { id: ID! label: String! }
type Writer implements Named { id: ID! label: String! posts: [Post!]! @relation(inverse: "writer") }
type Post implements Named {
  id: ID!
  label: String!
  heading: String! @index
  status: Status!
  kinds: [Status!]
  place: Place
  writer: Writer
  subject: Named
  tags: [Tag!]!
  remarks: [Remark!]!
}
type Remark { id: ID! post: Post! text: String }
type Tag { id: ID! word: String }
type Place { street: String! zip: String kind: Status }
enum Status {
  NEW @next(to: [OUT])
  OUT
}
`

const after = `
interface Named { id: ID! label: String! }
type Writer implements Named { id: ID! label: String! articles: [Article!]! @relation(inverse: "author") @was(name: "posts") }
type Article implements Named @was(name: "Post") {
  id: ID!
  label: String!
  title: String! @index @was(name: "heading")
  state: State! @was(name: "status")
  kinds: [State!]
  spot: Spot @was(name: "place")
  author: Writer @was(name: "writer")
  about: Named @was(name: "subject")
  words: [Tag!]! @was(name: "tags")
  notes: [Remark!]! @was(name: "remarks")
}
type Remark { id: ID! article: Article! @was(name: "post") text: String }
type Tag { id: ID! word: String }
type Spot @was(name: "Place") { street: String! postcode: String @was(name: "zip") kind: State }
enum State @was(name: "Status") {
  DRAFT @was(name: "NEW") @next(to: [OUT])
  OUT
}
`

async function open(t: TestContext): Promise<ChangingService> {
  const service = await ChangingService.open(before)
  t.after(() => service.close())
  return service
}

interface Rows {
  writer: string
  tag: string
  post: string
}

async function fill(service: ChangingService): Promise<Rows> {
  const made = async (path: string, body: unknown) => {
    const { status, body: row } = await service.rest('POST', path, body)
    assert.equal(status, 201, JSON.stringify(row))
    return (row as { id: string }).id
  }
  const writer = await made('/writers', { label: 'Ann' })
  const tag = await made('/tags', { word: 'x' })
  const post = await made('/posts', {
    label: 'p',
    heading: 'Hello',
    kinds: ['NEW', 'OUT'],
    place: { street: 'Elm', zip: '7', kind: 'NEW' },
    writer,
    subject: `Writer:${writer}`,
    tags: [tag],
    remarks: [{ text: 'hm' }],
  })
  return { writer, tag, post }
}

const oldDocument = `query ($where: PostWhere, $order: [PostOrder!]) {
  posts(where: $where, orderBy: $order) { ...Fields }
  postsConnection(first: 5, where: {status: {in: [NEW, OUT]}}) { edges { node { ...Fields } } totalCount }
  writers { label posts { heading } postsConnection(first: 1) { totalCount } }
  nameds(where: {label: {eq: "p"}}) { ... on Post { heading } }
}
fragment Fields on Post {
  id heading status kinds _statusTransitions
  place { street zip kind }
  writer { label }
  subject { ... on Writer { label } ... on Post { heading } }
  tags { word }
  tagsConnection(first: 1) { edges { node { word } } }
  remarks(where: {post: {heading: {eq: "Hello"}}}) { text post { id } }
}`

const oldVariables = {
  where: { heading: { eq: 'Hello' }, status: { eq: 'NEW' }, place: { zip: { eq: '7' }, kind: { eq: 'NEW' } } },
  order: [{ heading: 'ASC' }, { status: 'DESC' }],
}

/** Renamed enum values in answers are the one difference for a client, and cause a warning. */
const withPresentValues = (data: unknown) => JSON.parse(JSON.stringify(data).replaceAll('"NEW"', '"DRAFT"'))

describe('aliases after a rename', () => {
  test('a document with aliases gets the same answer, except for renamed enum values', async (t) => {
    const service = await open(t)
    const rows = await fill(service)
    const then = await service.graphql(oldDocument, oldVariables)
    warned.length = 0
    await service.change(after)
    assert.deepEqual(
      warned.filter((text) => /is called/.test(text)).map((text) => text.replace(/:.*/, '')),
      [
        'type Post is called Article now',
        'type Place is called Spot now',
        'the value NEW of State is called DRAFT now',
      ],
    )
    assert.deepEqual(await service.graphql(oldDocument, oldVariables), withPresentValues(then))
    const now = await service.graphql(
      `query ($where: ArticleWhere) { articles(where: $where) {
        id title state kinds _stateTransitions spot { street postcode kind } author { label } words { word } notes { text article { id } }
        about { __typename } __typename
      } }`,
      { where: { title: { eq: 'Hello' }, state: { eq: 'DRAFT' }, spot: { postcode: { eq: '7' } } } },
    )
    assert.deepEqual(now.articles, [
      {
        id: rows.post,
        title: 'Hello',
        state: 'DRAFT',
        kinds: ['DRAFT', 'OUT'],
        _stateTransitions: ['OUT'],
        spot: { street: 'Elm', postcode: '7', kind: 'DRAFT' },
        author: { label: 'Ann' },
        words: [{ word: 'x' }],
        notes: [{ text: 'hm', article: { id: rows.post } }],
        about: { __typename: 'Writer' },
        __typename: 'Article',
      },
    ])
  })

  test('mutations with aliases write, and accept aliases of enum values', async (t) => {
    const service = await open(t)
    const { writer, post } = await fill(service)
    await service.change(after)
    const made = await service.graphql(
      `mutation ($input: CreatePostInput!, $change: UpdatePostInput, $id: ID!) {
        createPost(input: $input) { id heading status place { zip kind } tags { word } }
        updatePost(id: $id, heading: "Two", status: OUT, place: {street: "Oak", zip: "8", kind: NEW}) { title status }
        again: updatePost(id: $id, input: $change) { heading place { zip } }
      }`,
      {
        id: post,
        change: { heading: 'Three' },
        input: { label: 'q', heading: 'New', status: 'NEW', place: { street: 'S', zip: '1', kind: 'NEW' }, writer },
      },
    )
    const created = made.createPost as { id: string }
    assert.deepEqual(made, {
      createPost: { id: created.id, heading: 'New', status: 'DRAFT', place: { zip: '1', kind: 'DRAFT' }, tags: [] },
      updatePost: { title: 'Two', status: 'OUT' },
      again: { heading: 'Three', place: { zip: '8' } },
    })
    const deleted = await service.graphql('mutation ($id: ID!) { deletePost(id: $id) { success } }', { id: created.id })
    assert.deepEqual(deleted, { deletePost: { success: true } })
    const missing = await service.rest('POST', '/graphql', {
      query: 'mutation { createPost(input: {label: "x", status: NEW}) { id } }',
    })
    assert.match(JSON.stringify(missing.body), /"path":"title","code":"REQUIRED"/)
  })

  test('REST: alias paths redirect (R7), and aliases of fields are accepted and answered (R190)', async (t) => {
    const service = await open(t)
    const { writer, post, tag } = await fill(service)
    const then = (await service.rest('GET', `/posts/${post}`)).body as Record<string, unknown>
    await service.change(after)
    const moved = await service.rest('GET', `/posts/${post}`)
    assert.deepEqual([moved.status, moved.headers.location], [301, `/articles/${post}`])
    assert.equal((await service.rest('POST', '/posts', {})).status, 308)
    const nested = await service.rest('GET', `/writers/${writer}/posts?limit=3`)
    assert.deepEqual([nested.status, nested.headers.location], [301, `/writers/${writer}/articles?limit=3`])
    const link = await service.rest('PUT', `/posts/${post}/tags/${tag}`)
    assert.deepEqual([link.status, link.headers.location], [308, `/articles/${post}/words/${tag}`])
    const now = (await service.follow('GET', `/posts/${post}`)).body as Record<string, unknown>
    for (const [name, value] of Object.entries(withPresentValues(then))) {
      if (name === 'place') assert.deepEqual({ ...(now[name] as object), ...(value as object) }, now[name])
      else assert.deepEqual(now[name], value, name)
    }
    assert.deepEqual([now.title, now.state, now.author], ['Hello', 'DRAFT', writer])
    const found = async (query: string) => ((await service.follow('GET', `/posts?${query}`)).body as unknown[]).length
    assert.equal(await found('heading=Hello&status=NEW&place.zip=7&sort=-heading,status'), 1)
    assert.equal(await found('title=Hello&state=DRAFT&spot.postcode=7&sort=-title'), 1)
    assert.equal(await found(`where=${encodeURIComponent('{"status":{"ne":"NEW"}}')}`), 0)
    assert.equal(await found('kinds[contains]=NEW'), 1)
    const chosen = await service.follow('GET', `/posts/${post}?fields=heading,title,status,place.zip,tags.word`)
    assert.deepEqual(chosen.body, {
      heading: 'Hello',
      title: 'Hello',
      status: 'DRAFT',
      place: { zip: '7' },
      tags: [{ word: 'x' }],
    })
    const patched = await service.follow('PATCH', `/posts/${post}`, { heading: 'Two', place: { zip: '9' } })
    assert.equal(patched.status, 200, JSON.stringify(patched.body))
    assert.deepEqual((patched.body as { spot: unknown }).spot, {
      street: 'Elm',
      postcode: '9',
      zip: '9',
      kind: 'DRAFT',
    })
    const posted = await service.follow('POST', '/posts', { label: 'z', heading: 'Z', status: 'NEW', writer })
    assert.equal(posted.status, 201, JSON.stringify(posted.body))
    const batched = await service.rest('POST', '/batch', [
      { method: 'PATCH', path: `/posts/${post}`, body: { heading: 'Batch' } },
    ])
    assert.equal(batched.status, 200, JSON.stringify(batched.body))
  })

  test('a row can be written back with the alias or the new name changed; two different values are refused (R191)', async (t) => {
    const service = await open(t)
    const { post } = await fill(service)
    await service.change(after)
    const read = async () => (await service.rest('GET', `/articles/${post}`)).body as Record<string, unknown>
    const put = (row: unknown) => service.rest('PUT', `/articles/${post}`, row)
    const old = await put({ ...(await read()), heading: 'by an alias', status: 'OUT' })
    assert.equal(old.status, 200, JSON.stringify(old.body))
    const row = await read()
    assert.deepEqual([row.title, row.heading, row.state, row.status], ['by an alias', 'by an alias', 'OUT', 'OUT'])
    assert.equal((await put({ ...row, title: 'by the new one' })).status, 200)
    assert.equal((await read()).heading, 'by the new one')
    const both = await put({ ...(await read()), title: 'a', heading: 'b' })
    assert.equal(both.status, 400)
    assert.match(JSON.stringify(both.body), /"path":"heading"/)
    const created = await service.rest('POST', '/articles', { label: 'l', title: 'a', heading: 'b' })
    assert.equal(created.status, 400)
  })

  test('a cursor, an idempotency key (R192) and a log position from before the rename stay valid', async (t) => {
    const service = await open(t)
    await fill(service)
    const key = { 'idempotency-key': '"k1"' }
    const body = { label: 'once', heading: 'Once' }
    const first = await service.rest('POST', '/posts', body, key)
    const page = `{ postsConnection(first: 1, orderBy: [{heading: ASC}, {status: ASC}]) { pageInfo { endCursor } } }`
    const { endCursor } = ((await service.graphql(page)).postsConnection as { pageInfo: { endCursor: string } })
      .pageInfo
    const readLog = async () =>
      (await service.rest('GET', '/changes?resource=posts')).body as { edges: { cursor: string }[] }
    const log = await until(readLog, ({ edges }) => edges.length === 2)
    await service.change(after)
    const next = await service.graphql(
      `query ($after: String) { articlesConnection(first: 5, after: $after, orderBy: [{title: ASC}, {state: ASC}]) { edges { node { title } } } }`,
      { after: endCursor },
    )
    assert.deepEqual(next, { articlesConnection: { edges: [{ node: { title: 'Once' } }] } })
    const again = await service.follow('POST', '/posts', body, key)
    assert.equal(again.headers['idempotent-replayed'], 'true')
    assert.deepEqual(again.body, first.body)
    const changes = async (path: string) =>
      ((await service.rest('GET', path)).body as { edges: { node: { type: string; source: string; data: unknown } }[] })
        .edges
    for (const resource of ['articles', 'posts']) {
      const events = await changes(`/changes?resource=${resource}`)
      assert.deepEqual(
        events.map(({ node }) => [node.type, node.source]),
        Array(2).fill(['article.created', '/articles']),
      )
      const data = events[0]!.node.data as Record<string, unknown>
      assert.deepEqual([data.heading, data.title, data.status], ['Hello', 'Hello', 'DRAFT'])
    }
    assert.equal((await changes(`/changes?resource=articles&after=${log.edges[0]!.cursor}`)).length, 1)
  })

  test('the previous schema can be served again with every row, and each schema has what was written under the other', async (t) => {
    const service = await open(t)
    const { post } = await fill(service)
    const then = (await service.rest('GET', `/posts/${post}`)).body
    await service.change(after)
    const made = await service.rest('POST', '/articles', {
      label: 'n',
      title: 'New',
      about: `Article:${post}`,
      spot: { street: 's', postcode: '2', kind: 'DRAFT' },
    })
    const { id } = made.body as { id: string }
    await service.change(before)
    assert.deepEqual((await service.rest('GET', `/posts/${post}`)).body, then)
    const row = (await service.rest('GET', `/posts/${id}?fields=heading,status,place,subject.id`)).body
    assert.deepEqual(row, {
      heading: 'New',
      status: 'NEW',
      place: { street: 's', zip: '2', kind: 'NEW' },
      subject: { id: post },
    })
    await service.change(after)
    assert.equal(((await service.rest('GET', `/articles/${id}`)).body as { title: string }).title, 'New')
    assert.equal((await service.rest('DELETE', `/articles/${id}`)).status, 204)
  })

  test('an alias can be dropped, and used again for something else', async (t) => {
    const service = await open(t)
    const { post } = await fill(service)
    await service.change(after)
    const bare = after.replace(/ @was\(name: "\w+"\)/g, '')
    await service.change(bare)
    assert.equal((await service.rest('GET', `/articles?heading=Hello`)).status, 400)
    assert.equal((await service.rest('GET', '/posts')).status, 404)
    const more = bare
      .replace('type Tag {', 'type Post implements Named { id: ID! label: String! heading: String }\ntype Tag {')
      .replace('title: String!', 'heading: String title: String!')
      .replace('postcode: String', 'postcode: String zip: String')
      .replace('enum State {', 'enum State { NEW')
    // The start state is another then, unless there is a default.
    await service.change(more.replace('state: State!', 'state: State! @default(value: DRAFT)'))
    const other = await service.rest('POST', '/posts', { label: 'other', heading: 'o' })
    assert.equal(other.status, 201)
    const about = (other.body as { id: string }).id
    const made = await service.rest('POST', '/articles', {
      label: 'n',
      title: 't',
      heading: 'h',
      kinds: ['NEW', 'DRAFT'],
      about: `Post:${about}`,
      spot: { street: 's', zip: 'z', postcode: 'p', kind: 'NEW' },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const row = made.body as Record<string, unknown>
    assert.deepEqual(
      [row.heading, row.title, row.kinds, row.spot],
      ['h', 't', ['NEW', 'DRAFT'], { street: 's', postcode: 'p', zip: 'z', kind: 'NEW' }],
    )
    const unchanged = (await service.rest('GET', `/articles/${post}`)).body as Record<string, unknown>
    assert.deepEqual([unchanged.title, unchanged.heading, unchanged.kinds], ['Hello', null, ['DRAFT', 'OUT']])
    const spot = (await service.graphql(`{ article(id: "${row.id}") { about { __typename label } } }`)).article
    assert.deepEqual(spot, { about: { __typename: 'Post', label: 'other' } })
  })

  test('a copy after a rename is complete, and can be served with the old names too', async (t) => {
    const service = await open(t)
    const { post } = await fill(service)
    await service.change(after)
    const copy = await service.copied(after)
    t.after(() => copy.close())
    const row = (await copy.rest('GET', `/articles/${post}`)).body as Record<string, unknown>
    assert.deepEqual([row.title, row.state, row.kinds], ['Hello', 'DRAFT', ['DRAFT', 'OUT']])
    const page = (await copy.rest('GET', '/changes?resource=articles')).body as {
      edges: { node: { type: string } }[]
    }
    assert.deepEqual(
      page.edges.map(({ node }) => node.type),
      ['article.created'],
    )
    await copy.change(before)
    const then = (await copy.rest('GET', `/posts/${post}`)).body as Record<string, unknown>
    assert.deepEqual(
      [then.heading, then.status, then.place],
      ['Hello', 'NEW', { street: 'Elm', zip: '7', kind: 'NEW' }],
    )
  })

  test('nodes with the old and with the new names serve the same data at once', async (t) => {
    if (testedStore === 'sqlite') return // a folder has one server
    const older = await open(t)
    const { post } = await fill(older)
    const newer = await ChangingService.open(after, older)
    t.after(() => newer.close())
    const byNew = await newer.rest('POST', '/articles', {
      label: 'n',
      title: 'N',
      about: `Article:${post}`,
      kinds: ['DRAFT'],
    })
    const byOld = await older.rest('POST', '/posts', {
      label: 'o',
      heading: 'O',
      subject: `Post:${post}`,
      kinds: ['NEW'],
    })
    const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id
    const seen = async (service: ChangingService, path: string) => (await service.rest('GET', path)).body
    assert.deepEqual(await seen(older, `/posts/${idOf(byNew)}?fields=heading,status,kinds,subject`), {
      heading: 'N',
      status: 'NEW',
      kinds: ['NEW'],
      subject: `Post:${post}`,
    })
    assert.deepEqual(await seen(newer, `/articles/${idOf(byOld)}?fields=title,state,kinds,about`), {
      title: 'O',
      state: 'DRAFT',
      kinds: ['DRAFT'],
      about: `Article:${post}`,
    })
    const moved = await older.rest('PATCH', `/posts/${idOf(byNew)}`, { status: 'OUT' })
    assert.equal(moved.status, 200, JSON.stringify(moved.body))
    assert.deepEqual(await seen(newer, `/articles/${idOf(byNew)}?fields=state`), { state: 'OUT' })
  })

  test('introspection and OpenAPI have the aliases as deprecated, and require one of the two', async (t) => {
    const service = await open(t)
    await service.change(after)
    const { article, query, input, value } = (await service.graphql(`{
      article: __type(name: "Article") { fields(includeDeprecated: true) { name isDeprecated deprecationReason } }
      query: __type(name: "Query") { fields(includeDeprecated: true) { name isDeprecated } }
      input: __type(name: "CreateArticleInput") { inputFields(includeDeprecated: true) { name isDeprecated type { kind } } }
      value: __type(name: "State") { enumValues(includeDeprecated: true) { name isDeprecated } }
    }`)) as Record<string, Record<string, { name: string }[]>>
    const among = (list: { name: string }[] | undefined, name: string) => list?.find((one) => one.name === name)
    assert.deepEqual(among(article?.fields, 'heading'), {
      name: 'heading',
      isDeprecated: true,
      deprecationReason: 'Renamed to title.',
    })
    assert.deepEqual(among(query?.fields, 'post'), { name: 'post', isDeprecated: true })
    assert.deepEqual(among(query?.fields, 'posts'), { name: 'posts', isDeprecated: true })
    for (const [name, isDeprecated] of Object.entries({ title: false, heading: true })) {
      assert.deepEqual(among(input?.inputFields, name), { name, isDeprecated, type: { kind: 'SCALAR' } })
    }
    assert.deepEqual(
      value?.enumValues,
      Object.entries({ DRAFT: false, NEW: true, OUT: false }).map(([name, isDeprecated]) => ({ name, isDeprecated })),
    )
    const document = (await service.rest('GET', '/openapi.json?profile=full')).body as {
      paths: object
      components: {
        schemas: Record<string, { properties: Record<string, unknown>; required: string[]; enum: string[] }>
      }
    }
    const { schemas } = document.components
    assert.deepEqual((schemas.Article!.properties.heading as { deprecated: boolean }).deprecated, true)
    assert.ok(schemas.Article!.required.includes('heading') && !schemas['Article.create']!.required.includes('title'))
    assert.deepEqual(
      [schemas.State!.enum, schemas['State.write']!.enum],
      [
        ['DRAFT', 'OUT'],
        ['DRAFT', 'NEW', 'OUT'],
      ],
    )
    for (const path of ['/posts', '/posts/{id}', '/writers/{id}/posts', '/articles/{id}/tags/{tagId}']) {
      assert.ok(path in document.paths, path)
    }
  })

  test('a subscription with aliases resumes from an old log position', async (t) => {
    const service = await open(t)
    const { writer } = await fill(service)
    const log = await until(
      async () => (await service.rest('GET', '/changes?resource=writers')).body as { edges: { cursor: string }[] },
      ({ edges }) => edges.length > 0, // PostgreSQL gives positions after the commit
    )
    await service.change(after)
    const events = await service.events(
      `subscription ($writer: ID, $after: String, $where: PostWhere) {
        postChanged(writer: $writer, after: $after, where: $where) { kind post { __typename heading status } }
      }`,
      { writer, after: log.edges[0]!.cursor, where: { heading: { startsWith: 'H' } } },
      1,
    )
    assert.deepEqual(events, [
      { postChanged: { kind: 'CREATED', post: { __typename: 'Article', heading: 'Hello', status: 'DRAFT' } } },
    ])
  })
})
