import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { type BoundPlan, isRows, type PlanResult, type WritePlan } from '#plan'
import { fullVisibility } from '#plan/build'
import { fakeGraphql, mistakesOf, resource, written } from '../blog.fixture.ts'

const deleted: PlanResult = { kind: 'deleted', found: true, id: 'p1' }

function writeOf(boundPlan: BoundPlan | undefined): WritePlan {
  assert.ok(boundPlan?.plan.kind === 'write')
  return boundPlan.plan
}

const sets = ({ set }: WritePlan) =>
  set.map((member) => `${member.field.name} ${isRows(member) ? 'rows' : member.parameter.index}`)

test('a create sets what its input names; the slots of the answer come first', async () => {
  const { ask, asked } = fakeGraphql({ answers: [written] })
  const text = 'mutation ($i: CreatePostInput!) { createPost(input: $i) { id comments(limit: 3) { id } } }'
  assert.deepEqual(await ask(text, { i: { title: 'T', author: 'u1' } }), { data: { createPost: { id: 'p1' } } })
  const plan = writeOf(asked[0])
  assert.deepEqual([plan.action, plan.of, plan.id, plan.ifVersion], ['create', resource('Post'), null, null])
  assert.deepEqual(sets(plan), ['title 2', 'author 3'])
  assert.deepEqual(asked[0]?.values, [3, 0, 'T', 'u1'])
  assert.deepEqual(asked[0]?.places, ['createPost.comments.limit', 'createPost.comments.offset', 'title', 'author'])
})

test('what is answered stays the same picks, whatever is set', async () => {
  const { ask, asked } = fakeGraphql({ answers: [written] })
  const text = 'mutation ($i: UpdatePostInput) { updatePost(id: "p1", input: $i) { id } }'
  await ask(text, { i: { title: 'T' } })
  await ask(text, { i: { pinned: true, title: 'T' } })
  assert.equal(writeOf(asked[0]).answer, writeOf(asked[1]).answer)
  assert.deepEqual(sets(writeOf(asked[1])), ['pinned 1', 'title 2'])
})

test('an update takes its fields one by one or in input, and null clears', async () => {
  const { ask, asked } = fakeGraphql({ answers: [written] })
  const text = `mutation ($t: String, $none: Boolean) {
    updatePost(id: "p1", title: $t, pinned: $none, price: 12345678901234567890.5, input: {meta: null}, ifVersion: 4) { id }
  }`
  await ask(text, { t: 'T' })
  assert.deepEqual(sets(writeOf(asked[0])), ['title 1', 'price 2', 'meta 3'])
  assert.deepEqual(asked[0]?.values, ['p1', 'T', '12345678901234567890.5', null, 4])
  assert.equal(writeOf(asked[0]).ifVersion?.index, 4)
})

test('a field given by itself and in input is a mistake', async () => {
  const { ask } = fakeGraphql({ answers: [written] })
  const response = await ask('mutation { updatePost(id: "p1", title: "a", input: {title: "b"}) { id } }')
  assert.deepEqual(mistakesOf(response), ['title UNKNOWN'])
  assert.deepEqual(response.data, null)
})

test('the mistakes of an input have the paths that REST gives them', async () => {
  const { ask } = fakeGraphql({ answers: [written] })
  const text = 'mutation ($i: CreatePostInput!) { createPost(input: $i) { id } }'
  assert.deepEqual(mistakesOf(await ask(text, { i: { titel: 'T', id: 'p1' } })), [
    'titel UNKNOWN',
    'id READONLY',
    'title REQUIRED',
    'author REQUIRED',
  ])
  assert.deepEqual(mistakesOf(await ask(text, { i: [] })), [' TYPE'])
})

test('a replace wants an id that a row can have', async () => {
  const { ask } = fakeGraphql({ answers: [written] })
  const text = 'mutation { replacePost(id: "a b", input: {title: "T", author: "u1"}) { id } }'
  assert.deepEqual(mistakesOf(await ask(text)), ['id PATTERN'])
})

test('a delete answers whether there was such a row, under the keys of the request', async () => {
  const { ask, asked } = fakeGraphql({ answers: [deleted, { ...deleted, found: false }] })
  const text = 'mutation { d: deletePost(id: "p1", ifVersion: 2) { ok: success message __typename id } }'
  const gone = { ok: true, message: 'Post "p1" is deleted.', __typename: 'DeleteResult', id: 'p1' }
  assert.deepEqual(await ask(text), { data: { d: gone } })
  assert.deepEqual((await ask(text)).data?.d, { ...gone, ok: false, message: 'There is no Post with the id "p1".' })
  assert.deepEqual([writeOf(asked[0]).set, writeOf(asked[0]).answer], [[], []])
  assert.deepEqual(asked[0]?.values, ['p1', 2])
})

test('a password is written with an account, in its input or by itself', async () => {
  const model = loadModel('type User @account { id: ID! email: String! @unique }', 'x.graphql')
  const account = model.account!.resource
  const { ask, asked } = fakeGraphql({ model, answers: [written], sight: () => ({ ...fullVisibility, account }) })
  const setOf = (index: number) => writeOf(asked[index]).set.map(({ field }) => field.name)
  await ask('mutation { createUser(input: {email: "a@b.c", password: "correct horse"}) { id } }')
  await ask('mutation { updateUser(id: 1, password: "battery staple") { id } }')
  assert.deepEqual([setOf(0), setOf(1)], [['email', 'password'], ['password']])
  const missing = await ask('mutation ($i: CreateUserInput!) { createUser(input: $i) { id } }', { i: {} })
  assert.deepEqual(mistakesOf(missing), ['email REQUIRED', 'password REQUIRED'])
})
