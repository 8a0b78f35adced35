import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeGraphql, oneRow, resource, rows } from './blog.fixture.ts'

const id = { kind: 'type', type: { kind: 'scalar', name: 'ID' } }
const field = (type: string, name: string) => resource(type).fields.get(name)

test('one row by its id, with aliases, in the order of the request', async () => {
  const { ask, asked } = fakeGraphql({ answers: [oneRow] })
  const response = await ask('{ p: post(id: "p1") { v: _version name: title __typename id } }')
  assert.deepEqual(response, { data: { p: { id: 'p1' } } })
  assert.deepEqual(asked, [
    {
      plan: {
        kind: 'one',
        of: resource('Post'),
        id: { index: 0, fits: id },
        pick: [
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

test('requests of one shape meet the very same plan with their own values', async () => {
  const { ask, asked } = fakeGraphql({ answers: [rows] })
  const text =
    'query ($w: PostWhere, $n: Int, $all: Boolean!) { posts(where: $w, limit: $n) { id title @include(if: $all) } }'
  await ask(text, { w: { title: { eq: 'a' } }, n: 1, all: true })
  await ask(text, { w: { title: { eq: 'b' } }, n: 2, all: true })
  await ask(text, { w: { title: { ne: 'b' } }, n: 2, all: true })
  await ask(text, { w: { title: { eq: 'b' } }, n: 2, all: false })
  await ask(text, { w: { title: { eq: 'b' } }, all: true })
  const [first, second, ...others] = asked
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

test('a document without variables asks the very same question again', async () => {
  const { ask, asked } = fakeGraphql({ answers: [rows] })
  await ask('{ posts { id } }')
  await ask('{ posts { id } }')
  assert.equal(asked[0], asked[1])
})
