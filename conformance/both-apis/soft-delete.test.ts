// A deleted row of a type with @softDelete is nowhere: this file goes over every read path of both APIs. Then what brings it back,
// and what ends it (docs/reference/rest.md, R68; docs/guide/soft-delete.md, docs/internals/decisions/0069-soft-delete.md).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Viewer } from '../../packages/twain/src/base/http/index.ts'
import { graphqlData, openApis, type RestAnswer, type TestApis } from '../harness/open-apis.ts'
import type { Person } from '../harness/open-with-people.ts'

const select = 'SELECT author AS name, count(*) AS posts FROM "Post" WHERE author IS NOT NULL GROUP BY author'
const sdl = `
  type User @account @allow(to: READ) @allow(to: [CREATE]) @allow(who: "self") @allow(role: "admin") @softDelete {
    id: ID! email: String! @unique role: Role! @default(value: USER) posts: [Post!]!
  }
  enum Role { USER admin }
  type Post @softDelete(keep: "30d") @allow(to: [READ, CREATE]) @allow(who: "author") @allow(role: "admin") {
    id: ID! slug: String @unique title: String! @search words: Int
    author: User @default(value: VIEWER)
    comments: [Comment!]!
    tags: [Tag!]!
    next: Post
  }
  type Comment @allow { id: ID! text: String! number: Int @unique post: Post! @relation(onDelete: CASCADE) }
  type Tag @allow { id: ID! word: String! posts: [Post!]! }
  type Note @allow { id: ID! text: String! about: Post }
  type Lock @allow { id: ID! post: Post! }
  union Thing = Post | Note
  type Favourite @allow { id: ID! thing: Thing }
  type Written @allow(to: READ) @view(sqlite: """${select}""", postgres: """${select}""", key: ["name"]) { name: String! posts: Int! }
`

interface Row {
  id: string
  [name: string]: unknown
}

const ids = ({ body }: RestAnswer) => (body as Row[]).map(({ id }) => id)
const problems = ({ body }: RestAnswer) =>
  (body as { errors?: { path: string; code: string }[] }).errors?.map(({ path, code }) => [path, code])

describe('soft delete', () => {
  let apis: TestApis
  let ada: Person
  let ben: Person
  let admin: Person
  let count = 0
  before(async () => {
    apis = await openApis(sdl)
    ada = await join('ada')
    ben = await join('ben')
    admin = await join('eve', 'admin')
  })
  after(() => apis.close())

  async function join(name: string, ...roles: string[]): Promise<Person> {
    const made = await apis.rest('POST', '/users', { email: `${name}@example.org`, password: 'correct horse' })
    const { id } = made.body as Row
    const viewer: Viewer = { account: id, roles, authenticated: true, token: null }
    return { id, viewer, ...apis.as(viewer) }
  }

  const fresh = (word: string) => `${word}${++count}`
  const make = async (path: string, body: object, by: Person = ada): Promise<Row> => {
    const made = await by.rest('POST', path, body)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body as Row
  }
  const remove = async (path: string, by: Person = ada) => (await by.rest('DELETE', path)).status
  const restore = (id: string, by: Person = ada) => by.rest('POST', `/posts/${id}/restorations`)

  /** A post with everything that leads to it. */
  async function linked() {
    const word = fresh('needle')
    const post = await make('/posts', { title: `The ${word}`, slug: fresh('slug'), words: 7 })
    const comment = await make('/comments', { text: word, post: post.id })
    const tag = await make('/tags', { word, posts: [post.id] })
    const note = await make('/notes', { text: word, about: post.id })
    const before = await make('/posts', { title: 'before', next: post.id })
    const favourite = await make('/favourites', { thing: `Post:${post.id}` })
    return { word, post, comment, tag, note, before, favourite }
  }

  /** What every read path shows of it. */
  async function shown({ word, post, comment, tag, note, before, favourite }: Awaited<ReturnType<typeof linked>>) {
    const { id, slug } = post
    const rest = async (path: string) => (await ada.rest('GET', path)).body
    const status = async (path: string) => (await ada.rest('GET', path)).status
    const data = await graphqlData(
      ada,
      `query ($id: ID!, $tag: ID!, $note: ID!, $before: ID!, $favourite: ID!, $comment: ID!, $word: String!, $slug: String!, $me: ID!) {
        one: post(id: $id) { id }
        key: postBy(key: {slug: $slug}) { id }
        list: posts(where: {id: {eq: $id}}) { id }
        found: posts(search: $word) { id }
        connection: postsConnection(where: {id: {eq: $id}}) { totalCount edges { node { id } } }
        aggregate: postsAggregate(where: {id: {eq: $id}}) { count sum { words } }
        groups: postsGroupBy(by: [{title: VALUE}], where: {id: {eq: $id}}) { count }
        tag(id: $tag) { posts { id } postsConnection { totalCount } postsAggregate { count } }
        tagged: tags(where: {id: {eq: $tag}, posts: {some: {}}}) { id }
        untagged: tags(where: {id: {eq: $tag}, posts: {none: {}}}) { id }
        note(id: $note) { about { id title } }
        noted: notes(where: {id: {eq: $note}, about: {title: {contains: "The"}}}) { id }
        notedId: notes(where: {id: {eq: $note}, about: {id: {eq: $id}}}) { id }
        unnoted: notes(where: {id: {eq: $note}, about: {isNull: true}}) { id }
        before: post(id: $before) { next { id } }
        favourite(id: $favourite) { thing { ... on Post { id } } }
        things(where: {id: {in: [$id, $note]}}) { ... on Post { id } }
        comment(id: $comment) { id }
        comments(where: {id: {eq: $comment}}) { id }
        user(id: $me) { posts(where: {id: {eq: $id}}) { id } }
        sorted: tags(where: {id: {eq: $tag}}, orderBy: [{posts: {count: DESC}}]) { id }
      }`,
      {
        id,
        tag: tag.id,
        note: note.id,
        before: before.id,
        favourite: favourite.id,
        comment: comment.id,
        word,
        slug,
        me: ada.id,
      },
    )
    return {
      data,
      item: await status(`/posts/${id}`),
      byKey: await status(`/posts/slug=${slug}`),
      nested: await status(`/posts/${id}/comments`),
      list: ids(await ada.rest('GET', `/posts?id=${id}`)),
      search: ids(await ada.rest('GET', `/posts?search=${word}`)),
      sum: await rest(`/posts?id=${id}&groupBy=title&fields=_count`),
      count:
        (await ada.rest('GET', `/posts?id=${id}&limit=0`, undefined, { prefer: 'count=exact' })).headers[
          'x-total-count'
        ] ?? null,
      tagPosts: ids(await ada.rest('GET', `/tags/${tag.id}/posts`)),
      comment: await status(`/comments/${comment.id}`),
      note: await rest(`/notes/${note.id}?fields=about`),
      expanded: await rest(`/notes/${note.id}?fields=about.title`),
      before: await rest(`/posts/${before.id}?fields=next`),
      favourite: await rest(`/favourites/${favourite.id}?fields=thing`),
      csv: String(
        (await ada.rest('GET', `/posts?id=${id}&fields=id`, undefined, { accept: 'text/csv' })).body,
      ).includes(id),
      written: ((await rest(`/writtens?name=${ada.id}`)) as { posts: number }[])[0]?.posts ?? 0,
    }
  }

  test('a deleted row is on no path, and a restored one is on all of them as before', async () => {
    const all = await linked()
    const { post, comment, note } = all
    const seen = await shown(all)
    assert.equal(await remove(`/posts/${post.id}`), 204)
    const gone = await shown(all)
    assert.deepEqual(
      { ...gone, written: seen.written - gone.written },
      {
        data: {
          one: null,
          key: null,
          list: [],
          found: [],
          connection: { totalCount: 0, edges: [] },
          aggregate: { count: 0, sum: { words: null } },
          groups: [],
          tag: { posts: [], postsConnection: { totalCount: 0 }, postsAggregate: { count: 0 } },
          tagged: [],
          untagged: [{ id: all.tag.id }],
          note: { about: null },
          noted: [],
          notedId: [],
          unnoted: [{ id: note.id }],
          before: { next: null },
          favourite: { thing: null },
          things: [{}],
          comment: null,
          comments: [],
          user: { posts: [] },
          sorted: [{ id: all.tag.id }],
        },
        item: 404,
        byKey: 404,
        nested: 404,
        list: [],
        search: [],
        sum: [],
        count: '0',
        tagPosts: [],
        comment: 404,
        note: { about: null },
        expanded: { about: null },
        before: { next: null },
        favourite: { thing: null },
        csv: false,
        written: 1,
      },
    )
    assert.equal(await remove(`/posts/${post.id}`), 404, 'a second DELETE')
    assert.equal((await ada.rest('PATCH', `/posts/${post.id}`, { title: 'x' })).status, 404)
    assert.equal((await ada.rest('PUT', `/posts/${post.id}`, { title: 'x' })).status, 410, 'its id is not free')
    assert.deepEqual(problems(await ada.rest('POST', '/notes', { text: 'x', about: post.id })), [
      ['about', 'REFERENCE'],
    ])
    assert.equal(await remove(`/comments/${comment.id}`), 404)

    const restored = await restore(post.id)
    assert.equal(restored.status, 200, JSON.stringify(restored.body))
    assert.deepEqual(restored.body, post)
    assert.deepEqual(await shown(all), seen)
    assert.equal((await restore(post.id)).status, 404, 'it is not deleted any more')
    assert.equal((await ada.rest('GET', `/notes/${note.id}?fields=about`)).status, 200)
  })

  test('who may delete a row sees it among the deleted, and may restore it', async () => {
    const { post, comment } = await linked()
    const only = `/posts?deleted=only&id=${post.id}`
    assert.deepEqual(ids(await ada.rest('GET', only)), [])
    assert.deepEqual(ids(await ada.rest('GET', `/posts?deleted=with&id=${post.id}`)), [post.id])
    const deleted = `query ($id: ID!, $deleted: DeletedRows) {
      posts(deleted: $deleted, where: {id: {eq: $id}}) { id title _version }
      postsConnection(deleted: $deleted, where: {id: {eq: $id}}) { totalCount }
    }`
    assert.equal(await remove(`/posts/${post.id}`), 204)
    for (const by of [ada, admin]) {
      assert.deepEqual(ids(await by.rest('GET', only)), [post.id])
      assert.deepEqual(ids(await by.rest('GET', `/posts?deleted=with&id=${post.id}`)), [post.id])
      for (const which of ['ONLY', 'WITH']) {
        const data = await graphqlData(by, deleted, { id: post.id, deleted: which })
        assert.deepEqual(data.posts, [{ id: post.id, title: post.title, _version: 2 }])
        assert.deepEqual(data.postsConnection, { totalCount: 1 })
      }
    }
    for (const by of [ben, apis]) {
      assert.deepEqual(ids(await by.rest('GET', only)), [])
      assert.deepEqual(ids(await by.rest('GET', `/posts?deleted=with&id=${post.id}`)), [])
    }
    assert.equal((await restore(post.id, ben)).status, 404)
    assert.equal((await apis.rest('POST', `/posts/${post.id}/restorations`)).status, 401)
    assert.equal((await ada.rest('GET', '/posts?deleted=yes')).status, 400)
    assert.equal((await ada.rest('GET', '/comments?deleted=only')).status, 400, 'deletes of comments are final')
    for (const path of [`/users/${ada.id}/posts?deleted=only`, '/posts?groupBy=title&deleted=only']) {
      const elsewhere = await ada.rest('GET', path)
      assert.equal(elsewhere.status, 400)
      assert.match(JSON.stringify(elsewhere.body), /deleted: lists deleted rows at GET \/posts only/)
    }
    const withBody = await ada.rest('POST', `/posts/${post.id}/restorations`, { title: 'x' })
    assert.deepEqual([withBody.status, problems(withBody)], [400, [['title', 'UNKNOWN']]])
    const batch = [{ method: 'POST', path: `/posts/${post.id}/restorations`, body: { title: 'x' } }]
    assert.equal((await ada.rest('POST', '/batch', batch)).status, 400)
    const mutation = 'mutation ($id: ID!) { restorePost(id: $id) { id title _version comments { id } } }'
    assert.match(JSON.stringify((await ben.graphql(mutation, { id: post.id })).errors), /NOT_FOUND/)
    const { restorePost } = await graphqlData(admin, mutation, { id: post.id })
    assert.deepEqual(restorePost, { id: post.id, title: post.title, _version: 3, comments: [{ id: comment.id }] })
  })

  test('both APIs make the same plans of it', async () => {
    const { post } = await linked()
    const { id } = post
    const twins: [method: string, path: string, document: string][] = [
      [
        'GET',
        `/posts?deleted=only&title=x&fields=id,title`,
        '{ posts(deleted: ONLY, where: {title: {eq: "x"}}) { id title } }',
      ],
      ['GET', '/posts?deleted=with&sort=-title&fields=id', '{ posts(deleted: WITH, orderBy: [{title: DESC}]) { id } }'],
      ['DELETE', `/posts/${id}`, `mutation { deletePost(id: "${id}") { id } }`],
      ['POST', `/posts/${id}/restorations?fields=title`, `mutation { restorePost(id: "${id}") { title } }`],
      ['DELETE', `/posts/${id}?purge=true`, `mutation { deletePost(id: "${id}", purge: true) { id } }`],
    ]
    for (const [method, path, document] of twins) {
      apis.executed.length = 0
      await ada.rest(method, path)
      await ada.graphql(document)
      const [rest, graphql] = apis.executed
      assert.deepEqual([rest?.plan, rest?.values], [graphql?.plan, graphql?.values], path)
    }
  })

  test('unique values are free, and a taken one is a conflict that names its field', async () => {
    const slug = fresh('slug')
    const post = await make('/posts', { title: 'one', slug })
    await remove(`/posts/${post.id}`)
    const other = await make('/posts', { title: 'two', slug })
    assert.deepEqual((await ada.rest('GET', `/posts/slug=${slug}?fields=id`)).body, { id: other.id })
    const upserted = await ada.rest('POST', '/posts?onConflict=slug&fields=id', { title: 'three', slug })
    assert.deepEqual([upserted.status, upserted.body], [200, { id: other.id }])
    const refused = await restore(post.id)
    assert.deepEqual([refused.status, problems(refused)], [409, [['slug', 'UNIQUE']]])
    await remove(`/posts/slug=${slug}`)
    assert.equal((await restore(post.id)).status, 200)
    assert.deepEqual(problems(await restore(other.id)), [['slug', 'UNIQUE']])
  })

  test('a purge is final, of a row and of a deleted row', async () => {
    const first = await linked()
    assert.equal(await remove(`/posts/${first.post.id}?purge=true`), 204)
    assert.equal((await restore(first.post.id)).status, 404)
    const second = await linked()
    await remove(`/posts/${second.post.id}`)
    assert.equal(await remove(`/posts/${second.post.id}?purge=true`, ben), 404, 'who may not delete it')
    const purge = 'mutation ($id: ID!) { deletePost(id: $id, purge: true) { id } }'
    assert.deepEqual(await graphqlData(ada, purge, { id: second.post.id }), { deletePost: { id: second.post.id } })
    assert.equal((await restore(second.post.id)).status, 404)
    assert.deepEqual(ids(await ada.rest('GET', `/posts?deleted=only&id=${second.post.id}`)), [])
    assert.equal(await remove(`/posts/${second.post.id}?purge=true`), 404)
  })

  test('a delete by a filter hides its rows too', async () => {
    const title = fresh('title')
    const made = [await make('/posts', { title }), await make('/posts', { title })]
    assert.equal((await ada.rest('DELETE', `/posts?title=${title}`)).status, 200)
    assert.deepEqual(ids(await ada.rest('GET', `/posts?title=${title}`)), [])
    assert.deepEqual(
      ids(await ada.rest('GET', `/posts?deleted=only&title=${title}&sort=id`)),
      made.map(({ id }) => id).toSorted(),
    )
    assert.equal((await restore(made[0]!.id)).status, 200)
  })

  test('what restricts a delete restricts this one, and a hidden row restricts nothing', async () => {
    const author = await join(fresh('author'))
    const post = await make('/posts', { title: 'held' }, author)
    const lock = await make('/locks', { post: post.id })
    assert.equal(await remove(`/posts/${post.id}`, author), 409)
    await remove(`/locks/${lock.id}`)
    assert.equal(await remove(`/posts/${post.id}`, author), 204)
    const next = await make('/posts', { title: 'next' }, author)
    assert.equal(await remove(`/users/${author.id}`, admin), 204)
    assert.deepEqual((await admin.rest('GET', `/posts/${next.id}?fields=author`)).body, { author: null })
    const back = await restore(post.id, admin)
    assert.deepEqual([back.status, (back.body as Row).author], [200, null], 'an optional reference to a deleted row')
    const user = await admin.rest('POST', `/users/${author.id}/restorations`)
    assert.equal(user.status, 200)
    assert.deepEqual((await admin.rest('GET', `/posts/${next.id}?fields=author`)).body, { author: author.id })
  })

  test('rows that went along come back with their row, not alone', async () => {
    const post = await make('/posts', { title: 'two' })
    const number = ++count
    const comment = await make('/comments', { text: 'one', number, post: post.id })
    await remove(`/posts/${post.id}`)
    await make('/comments', { text: 'other', number, post: (await make('/posts', { title: 'x' })).id })
    assert.deepEqual(problems(await restore(post.id)), [['', 'UNIQUE']])
    assert.equal((await ada.rest('GET', `/comments/${comment.id}`)).status, 404)
  })

  test('two deletes at once: one finds the row', async () => {
    const { post } = await linked()
    const answers = await Promise.all(Array.from({ length: 8 }, () => remove(`/posts/${post.id}`)))
    assert.deepEqual(answers.toSorted(), [204, ...Array.from({ length: 7 }, () => 404)])
    const restored = await Promise.all(Array.from({ length: 8 }, () => restore(post.id)))
    assert.deepEqual(restored.map(({ status }) => status).toSorted(), [200, ...Array.from({ length: 7 }, () => 404)])
  })

  test('a restore and creates that take its unique value: one of them has it', async () => {
    for (let round = 0; round < 5; round++) {
      const slug = fresh('slug')
      const post = await make('/posts', { title: 'one', slug })
      await remove(`/posts/${post.id}`)
      const answers = await Promise.all([
        restore(post.id),
        ...Array.from({ length: 4 }, () => ada.rest('POST', '/posts', { title: 'two', slug })),
      ])
      const won = answers.filter(({ status }) => status < 300)
      assert.deepEqual([won.length, answers.filter(({ status }) => status === 409).length], [1, 4])
      assert.equal(ids(await ada.rest('GET', `/posts?slug=${slug}`)).length, 1)
    }
  })
})
