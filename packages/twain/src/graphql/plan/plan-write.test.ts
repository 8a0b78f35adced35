import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { type BoundPlan, isSetField, type PlanResult, type WritePlan } from '#plan'
import { fullVisibility } from '#plan/build'
import { fakeGraphql, mistakesOf, resource, written } from '../blog.fixture.ts'

const deleted: PlanResult = { kind: 'deleted', found: true, id: 'p1' }

function writeOf(boundPlan: BoundPlan | undefined): WritePlan {
  assert.ok(boundPlan?.plan.kind === 'write')
  return boundPlan.plan
}

const sets = ({ set }: WritePlan) =>
  set.map((member) => `${member.field.name} ${isSetField(member) ? member.parameter.index : 'rows'}`)

test('a create sets the fields of its input; the parameters of the selections come first', async () => {
  const { run, executedPlans } = fakeGraphql({ answers: [written] })
  const text = 'mutation ($i: CreatePostInput!) { createPost(input: $i) { id comments(limit: 3) { id } } }'
  assert.deepEqual(await run(text, { i: { title: 'T', author: 'u1' } }), { data: { createPost: { id: 'p1' } } })
  const plan = writeOf(executedPlans[0])
  assert.deepEqual([plan.action, plan.of, plan.id, plan.ifVersion], ['create', resource('Post'), null, null])
  assert.deepEqual(sets(plan), ['title 2', 'author 3'])
  assert.deepEqual(executedPlans[0]?.values, [3, 0, 'T', 'u1'])
  assert.deepEqual(executedPlans[0]?.places, [
    'createPost.comments.limit',
    'createPost.comments.offset',
    'title',
    'author',
  ])
})

test('creates that set the same fields have one plan, each with its own values', async () => {
  const { run, executedPlans } = fakeGraphql({ answers: [written] })
  const text =
    'mutation ($i: CreatePostInput!, $limit: Int) { createPost(input: $i) { id comments(limit: $limit) { id } } }'
  await run(text, { i: { title: 'T', author: 'u1' }, limit: 3 })
  await run(text, { i: { title: 'U', author: 'u2' }, limit: 5 })
  await run(text, { i: { title: 'V', author: 'u1', pinned: true }, limit: 3 })
  assert.equal(executedPlans[1]?.plan, executedPlans[0]?.plan)
  assert.deepEqual(executedPlans[1]?.values, [5, 0, 'U', 'u2'])
  assert.deepEqual(sets(writeOf(executedPlans[2])), ['title 2', 'author 3', 'pinned 4'])
})

test('the selections are the same array for any input', async () => {
  const { run, executedPlans } = fakeGraphql({ answers: [written] })
  const text = 'mutation ($i: UpdatePostInput) { updatePost(id: "p1", input: $i) { id } }'
  await run(text, { i: { title: 'T' } })
  await run(text, { i: { pinned: true, title: 'T' } })
  assert.equal(writeOf(executedPlans[0]).answer, writeOf(executedPlans[1]).answer)
  assert.deepEqual(sets(writeOf(executedPlans[1])), ['pinned 1', 'title 2'])
})

test('an update takes its fields as arguments or in input, and null clears', async () => {
  const { run, executedPlans } = fakeGraphql({ answers: [written] })
  const text = `mutation ($t: String, $none: Boolean) {
    updatePost(id: "p1", title: $t, pinned: $none, price: 12345678901234567890.5, input: {meta: null}, ifVersion: 4) { id }
  }`
  await run(text, { t: 'T' })
  assert.deepEqual(sets(writeOf(executedPlans[0])), ['title 1', 'price 2', 'meta 3'])
  assert.deepEqual(executedPlans[0]?.values, ['p1', 'T', '12345678901234567890.5', null, 4])
  assert.equal(writeOf(executedPlans[0]).ifVersion?.index, 4)
})

test('a field that is both an argument and in input is a mistake', async () => {
  const { run } = fakeGraphql({ answers: [written] })
  const response = await run('mutation { updatePost(id: "p1", title: "a", input: {title: "b"}) { id } }')
  assert.deepEqual(mistakesOf(response), ['title UNKNOWN'])
  assert.deepEqual(response.data, { updatePost: null })
})

test('the problems of an input have the same paths as in REST', async () => {
  const { run } = fakeGraphql({ answers: [written] })
  const text = 'mutation ($i: CreatePostInput!) { createPost(input: $i) { id } }'
  assert.deepEqual(mistakesOf(await run(text, { i: { titel: 'T', id: 'p1' } })), [
    'titel UNKNOWN',
    'id READONLY',
    'title REQUIRED',
    'author REQUIRED',
  ])
  assert.deepEqual(mistakesOf(await run(text, { i: [] })), [' TYPE'])
})

test('a replace requires an id that a row can have', async () => {
  const { run } = fakeGraphql({ answers: [written] })
  const text = 'mutation { replacePost(id: "a b", input: {title: "T", author: "u1"}) { id } }'
  assert.deepEqual(mistakesOf(await run(text)), ['id PATTERN'])
})

test('the result of a delete shows whether the row existed, under the selected keys', async () => {
  const { run, executedPlans } = fakeGraphql({ answers: [deleted, { ...deleted, found: false }] })
  const text = 'mutation { d: deletePost(id: "p1", ifVersion: 2) { ok: success message __typename id } }'
  const result = { ok: true, message: 'Post "p1" is deleted.', __typename: 'DeleteResult', id: 'p1' }
  assert.deepEqual(await run(text), { data: { d: result } })
  assert.deepEqual((await run(text)).data?.d, { ...result, ok: false, message: 'There is no Post with the id "p1".' })
  assert.deepEqual([writeOf(executedPlans[0]).set, writeOf(executedPlans[0]).answer], [[], []])
  assert.deepEqual(executedPlans[0]?.values, ['p1', 2])
})

test('a password is written with an account, in the input or as an argument', async () => {
  const model = loadModel('type User @account { id: ID! email: String! @unique }', 'x.graphql')
  const account = model.account!.resource
  const { run, executedPlans } = fakeGraphql({
    model,
    answers: [written],
    visibility: () => ({ ...fullVisibility, account }),
  })
  const setOf = (index: number) => writeOf(executedPlans[index]).set.map(({ field }) => field.name)
  await run('mutation { createUser(input: {email: "a@b.c", password: "correct horse"}) { id } }')
  await run('mutation { updateUser(id: 1, password: "battery staple") { id } }')
  // A change of the own password takes the current one, which is null if the client does not send it.
  assert.deepEqual(
    [setOf(0), setOf(1)],
    [
      ['email', 'password'],
      ['password', 'currentPassword'],
    ],
  )
  const missing = await run('mutation ($i: CreateUserInput!) { createUser(input: $i) { id } }', { i: {} })
  assert.deepEqual(mistakesOf(missing), ['email REQUIRED', 'password REQUIRED'])
})
