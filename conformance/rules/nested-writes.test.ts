// Rules of nested writes: each row is judged as by a write of its own, and nothing of what a viewer can't see is revealed.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { anonymous, system, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import { openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type User @account(login: "name") @allow { id: ID! name: String! @unique posts: [Post!]! groups: [Group!]! }
  type Post @allow(to: [READ]) @allow(who: "author") {
    id: ID! title: String! author: User! @default(value: VIEWER)
    comments: [Comment!]! drafts: [Draft!]! tags: [Tag!]! tasks: [Task!]!
    hidden: [Hidden!]! @allow(role: "editor", to: [READ])
    marks: [Mark!]! @allow(role: "editor", to: [READ])
    fixed: [Fixed!]! @allow(role: "editor", to: [UPDATE])
  }
  type Comment @allow(to: [READ]) @allow(who: "by") {
    id: ID! body: String! pinned: Boolean @allow(role: "editor", to: [UPDATE]) by: User! @default(value: VIEWER) post: Post!
  }
  type Draft @allow(who: "by") { id: ID! text: String! by: User! @default(value: VIEWER) post: Post }
  type Tag @allow(to: [READ, UPDATE]) @allow(role: "editor") { id: ID! name: String! posts: [Post!]! }
  type Group @allow(to: [READ]) @allow(who: "members") { id: ID! name: String! members: [User!]! }
  type Task @allow { id: ID! state: TaskState! @default(value: OPEN) post: Post }
  enum TaskState { OPEN @next(to: [DONE]) DONE @next(to: [OPEN], role: "editor") }
  type Hidden @allow { id: ID! text: String post: Post }
  type Mark @allow { id: ID! text: String posts: [Post!]! @relation(inverse: "marks") }
  type Fixed @allow { id: ID! text: String posts: [Post!]! @relation(inverse: "fixed") }
`

interface Refusal {
  detail: string
  errors: { path: string; code: string; message: string }[]
}

const viewer = (account: string, ...roles: string[]): Viewer => ({ account, roles, authenticated: true, token: null })
const ann = viewer('ann')
const bob = viewer('bob')
const editor = viewer('ann', 'editor')

describe('rules of nested writes', () => {
  let apis: TestApis
  let post: string
  before(async () => {
    apis = await openApis(sdl)
    for (const name of ['ann', 'bob'])
      await restBody(apis, 'PUT', `/users/${name}`, { name, password: 'correct horse' })
  })
  after(() => apis.close())
  beforeEach(async () => {
    post = await make(ann, 'posts', { title: 'a' })
  })

  const make = async (who: Viewer, path: string, body: object) =>
    ((await restBody(apis.as(who), 'POST', `/${path}`, body)) as { id: string }).id

  /** The status of both APIs, and the problems, which must be the same. */
  const write = async (who: Viewer, input: object, id = post) => {
    const rest = await apis.as(who).rest('PATCH', `/posts/${id}`, input)
    const query = 'mutation ($id: ID!, $input: UpdatePostInput) { updatePost(id: $id, input: $input) { id } }'
    if (rest.status < 300) return { status: rest.status, errors: [] as Refusal['errors'] }
    const { errors } = await apis.as(who).graphql(query, { id, input })
    const body = rest.body as Refusal & { code: string }
    assert.equal(errors[0]?.extensions?.code, body.code, JSON.stringify([rest.body, errors]))
    const places = (body.errors ?? []).map(({ path, code, message }) => ({ path, code, message }))
    assert.deepEqual(errors[0]!.extensions!.errors ?? [], places)
    return { status: rest.status, errors: places }
  }
  const expectRefused = async (who: Viewer, input: object, status: number, path: string | null) => {
    const refused = await write(who, input)
    assert.deepEqual(
      [refused.status, refused.errors[0]?.path ?? null],
      [status, path],
      JSON.stringify([input, refused]),
    )
    return refused
  }

  test('a write of the rows of a list needs UPDATE of the row that has it', async () => {
    await expectRefused(bob, { _comments: { create: [{ body: 'mine' }] } }, 403, null)
    await expectRefused(bob, { _tasks: { create: [{}] } }, 403, null)
    await expectRefused(anonymous, { _tasks: { create: [{}] } }, 401, null)
  })

  test('rows are created, updated, deleted and connected by their own rules', async () => {
    const theirs = await make(bob, 'comments', { body: 'theirs', post })
    const elsewhere = await make(bob, 'posts', { title: 'b' })
    const far = await make(bob, 'comments', { body: 'far', post: elsewhere })
    await expectRefused(ann, { _comments: { update: [{ id: theirs, body: 'x' }] } }, 403, '_comments.update.0')
    await expectRefused(ann, { _comments: { delete: [theirs] } }, 403, '_comments.delete.0')
    await expectRefused(ann, { _comments: { connect: [far] } }, 403, '_comments.connect.0')
    await expectRefused(ann, { _comments: { create: [{ body: 'x', by: 'bob' }] } }, 403, '_comments.create.0')
    await expectRefused(ann, { _tags: { create: [{ name: 'x' }] } }, 403, null)
    const mine = await make(ann, 'comments', { body: 'mine', post })
    await expectRefused(ann, { _comments: { update: [{ id: mine, pinned: true }] } }, 403, '_comments.update.0.pinned')
    const allowed = { update: [{ id: mine, body: 'y' }], create: [{ body: 'z' }] }
    assert.equal((await write(ann, { _comments: allowed })).status, 200)
    assert.equal((await write(editor, { _tags: { create: [{ name: 'x' }] } })).status, 200)
    assert.equal((await write(ann, { _comments: { delete: [mine] } })).status, 200)
  })

  test('a row that the viewer can not read is as one that does not exist', async () => {
    const draft = await make(bob, 'drafts', { text: 'secret', post })
    for (const kind of ['connect', 'disconnect', 'delete'] as const) {
      const path = `_drafts.${kind}.0`
      const unreadable = await expectRefused(ann, { _drafts: { [kind]: [draft] } }, 409, path)
      const missing = await expectRefused(ann, { _drafts: { [kind]: ['nothing'] } }, 409, path)
      assert.equal(unreadable.errors[0]!.message.replace(draft, 'nothing'), missing.errors[0]!.message)
    }
    await expectRefused(ann, { _drafts: { update: [{ id: draft, text: 'x' }] } }, 409, '_drafts.update.0')
  })

  test('a list that the viewer can not read or update is not written', async () => {
    const row = await make(editor, 'hiddens', { text: 'x', post })
    const mark = await make(editor, 'marks', { text: 'x' })
    for (const changes of [{ delete: [row] }, { create: [{ text: 'y' }] }, { disconnect: ['nothing'] }]) {
      await expectRefused(ann, { _hidden: changes }, 403, '_hidden')
    }
    for (const changes of [{ disconnect: [mark] }, { delete: [mark] }, { update: [{ id: mark, text: 'y' }] }]) {
      await expectRefused(ann, { _marks: changes }, 403, '_marks')
    }
    await expectRefused(ann, { _fixed: { create: [{ text: 'y' }] } }, 403, '_fixed')
    assert.equal((await write(editor, { _hidden: { delete: [row] }, _marks: { connect: [mark] } })).status, 200)
    assert.equal((await write(editor, { _fixed: { create: [{ text: 'y' }] } })).status, 200)
  })

  test('transitions of nested rows are those of the schema', async () => {
    const task = await make(ann, 'tasks', { post })
    await expectRefused(ann, { _tasks: { create: [{ state: 'DONE' }] } }, 409, '_tasks.create.0.state')
    assert.equal((await write(ann, { _tasks: { update: [{ id: task, state: 'DONE' }] } })).status, 200)
    await expectRefused(ann, { _tasks: { update: [{ id: task, state: 'OPEN' }] } }, 403, '_tasks.update.0.state')
    assert.equal((await write(editor, { _tasks: { update: [{ id: task, state: 'OPEN' }] } })).status, 200)
  })

  test('no viewer joins what they do not belong to from the other side', async () => {
    const { id } = (await apis.as(system).rest('POST', '/groups', { name: 'g' })).body as { id: string }
    const reply = await apis.as(ann).rest('PATCH', '/users/ann', { _groups: { connect: [id] } })
    assert.deepEqual([reply.status, (reply.body as Refusal).errors[0]!.path], [403, '_groups'])
    const member = await apis.as(ann).rest('PATCH', '/users/ann', { _groups: { create: [{ name: 'own' }] } })
    assert.equal(member.status, 403, 'a new group has no members, so nobody may create or join it')
  })

  test('an account keeps its login and its password in nested writes', async () => {
    const group = (
      (await apis.as(system).rest('POST', '/groups', { name: 'g', members: ['ann'] })).body as { id: string }
    ).id
    for (const change of [{ name: 'eve' }, { password: 'another password' }, { currentPassword: 'x' }]) {
      const reply = await apis
        .as(ann)
        .rest('PATCH', `/groups/${group}`, { _members: { update: [{ id: 'ann', ...change }] } })
      assert.equal(reply.status, 400, JSON.stringify(reply.body))
    }
    const create = { _members: { create: [{ name: 'eve', password: 'another password' }] } }
    assert.equal((await apis.as(ann).rest('PATCH', `/groups/${group}`, create)).status, 400)
  })
})
