import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fullVisibility, type Visibility } from '#plan/build'
import { fakeGraphql, mistakesOf, oneRow, resource, rows } from '../blog.fixture.ts'

const id = { kind: 'type', type: { kind: 'scalar', name: 'ID' } }
const field = (type: string, name: string) => resource(type).fields.get(name)

test('one row by its id, with aliases, in the order of the request', async () => {
  const { run, executedPlans } = fakeGraphql({ answers: [oneRow] })
  const response = await run('{ p: post(id: "p1") { v: _version name: title __typename id } }')
  assert.deepEqual(response, { data: { p: { id: 'p1' } } })
  assert.deepEqual(executedPlans, [
    {
      plan: {
        kind: 'one',
        of: resource('Post'),
        id: { index: 0, accepts: id },
        selections: [
          { kind: 'version', key: 'v' },
          { kind: 'field', key: 'name', field: field('Post', 'title') },
          { kind: 'constant', key: '__typename', value: 'Post' },
          { kind: 'field', key: 'id', field: field('Post', 'id') },
        ],
      },
      values: ['p1'],
      places: ['p.id'],
    },
  ])
})

test('requests of one shape share one plan, with their own values', async () => {
  const { run, executedPlans } = fakeGraphql({ answers: [rows] })
  const text =
    'query ($w: PostWhere, $n: Int, $all: Boolean!) { posts(where: $w, limit: $n) { id title @include(if: $all) } }'
  await run(text, { w: { title: { eq: 'a' } }, n: 1, all: true })
  await run(text, { w: { title: { eq: 'b' } }, n: 2, all: true })
  await run(text, { w: { title: { ne: 'b' } }, n: 2, all: true })
  await run(text, { w: { title: { eq: 'b' } }, n: 2, all: false })
  await run(text, { w: { title: { eq: 'b' } }, all: true })
  const [first, second, ...others] = executedPlans
  assert.equal(first?.plan, second?.plan)
  assert.deepEqual(
    [first?.values, second?.values],
    [
      ['a', 1, 0],
      ['b', 2, 0],
    ],
  )
  for (const other of others) assert.notEqual(other.plan, first?.plan)
  assert.deepEqual(others.at(-1)?.values, ['b', 20, 0])
})

test('a document without variables has one bound plan', async () => {
  const { run, executedPlans } = fakeGraphql({ answers: [rows] })
  await run('{ posts { id } }')
  await run('{ posts { id } }')
  assert.equal(executedPlans[0], executedPlans[1])
})

test('each class of viewers has its own plans', async () => {
  const author = field('Post', 'author')
  const blind: Visibility = {
    key: 'blind',
    isHidden: (other) => other === author,
    maybeHidden: () => false,
    mayForbid: false,
    account: null,
  }
  let visibility = fullVisibility
  const { run, executedPlans } = fakeGraphql({ answers: [rows], visibility: () => visibility })
  const document = '{ posts(where: {title: {eq: "x"}}) { id } }'
  for (const next of [fullVisibility, blind, fullVisibility, blind]) {
    visibility = next
    await run(document)
  }
  const [first, second, third, fourth] = executedPlans.map(({ plan }) => plan)
  assert.equal(first, third)
  assert.equal(second, fourth)
  assert.notEqual(first, second)
})

test('a field that is hidden from the viewer can be neither filtered nor ordered by', async () => {
  const title = field('Post', 'title')
  const blind: Visibility = {
    key: 'blind',
    isHidden: (other) => other === title,
    maybeHidden: () => false,
    mayForbid: false,
    account: null,
  }
  const { run, executedPlans } = fakeGraphql({ answers: [rows], visibility: () => blind })
  const text = 'query ($w: PostWhere, $o: [PostOrder!]) { posts(where: $w, orderBy: $o) { id } }'
  const variables = { w: { not: { title: { eq: 'x' } } }, o: [{ title: 'ASC' }] }
  assert.deepEqual(mistakesOf(await run(text, variables)), [
    'variables.w.not.title UNKNOWN',
    'variables.o.0.title UNKNOWN',
  ])
  const { errors, data } = await run('{ posts(where: {title: {eq: "x"}}) { id } }')
  assert.equal(data, undefined)
  assert.deepEqual(errors?.[0]?.extensions, { code: 'GRAPHQL_VALIDATION_FAILED' })
  assert.match(errors?.[0]?.message ?? '', /"PostWhere" not to include unknown field "title"/)
  assert.equal(executedPlans.length, 0)
})
