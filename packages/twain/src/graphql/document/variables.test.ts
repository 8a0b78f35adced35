import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OperationDefinitionNode, parse } from 'graphql'
import { blog } from '../blog.fixture.ts'
import { buildApiSchema } from '../schema/build-schema.ts'
import { RequestErrors } from './response-errors.ts'
import { variableUses } from './variable-uses.ts'
import { coerceVariables, variablesOf } from './variables.ts'

const { schema, roots, coercers } = buildApiSchema(blog)

function coerce(text: string, given: object) {
  const document = parse(text)
  const operation = document.definitions[0] as OperationDefinitionNode
  const variables = variablesOf(operation, schema, variableUses(document, roots), coercers)
  return coerceVariables(variables, given as Record<string, unknown>)
}

function mistakes(text: string, given: object): string[] {
  try {
    coerce(text, given)
  } catch (error) {
    if (!(error instanceof RequestErrors)) throw error
    return error.errors[0]!.extensions.errors!.map(({ path, code }) => `${path} ${code}`)
  }
  return []
}

const list =
  'query ($where: PostWhere, $n: Int! = 5, $order: [PostOrder!], $ids: [ID!], $status: Status) { posts(where: $where) { id } }'

test('all mistakes are told at once, each with its place', () => {
  const given = {
    where: { titel: {}, title: { eq: 5, contians: 'x' }, and: { pinned: { eq: 'yes' } }, author: [] },
    n: null,
    order: { title: 'DOWN' },
    ids: ['a', null],
    status: 'GONE',
  }
  assert.deepEqual(mistakes(list, given), [
    'variables.where.titel UNKNOWN',
    'variables.where.title.eq TYPE',
    'variables.where.title.contians UNKNOWN',
    'variables.where.and.0.pinned.eq TYPE',
    'variables.where.author TYPE',
    'variables.n REQUIRED',
    'variables.order.0.title TYPE',
    'variables.ids.1 REQUIRED',
    'variables.status TYPE',
  ])
})

test('wrong variables are told with the places of their definitions', () => {
  try {
    coerce(list, { where: { a: 1, b: 2 }, n: 1, ids: [null] })
    assert.fail('it passed')
  } catch (error) {
    assert.ok(error instanceof RequestErrors)
    const columns = error.errors[0]?.locations?.map(({ column }) => list.slice(column - 1, column + 3))
    assert.deepEqual(columns, ['$whe', '$ids'])
  }
})

test('a mistake says what is near', () => {
  assert.throws(() => coerce(list, { where: { titel: {} } }), { message: /Did you mean "title"/ })
})

test('an order names exactly one field', () => {
  assert.deepEqual(mistakes(list, { order: [{ title: 'ASC', id: 'ASC' }, {}] }), [
    'variables.order.0 TYPE',
    'variables.order.1 TYPE',
  ])
})

test('defaults stand in, single values become lists, and values stay as they were given', () => {
  const { values } = coerce(list, { ids: 'a', where: { or: { title: { in: 'x' } } } })
  assert.deepEqual({ ...values }, { n: 5, ids: ['a'], where: { or: [{ title: { in: ['x'] } }] } })
})

test('what changes the plan changes the shape, and nothing else does', () => {
  const text =
    'query ($where: PostWhere, $order: [PostOrder!], $all: Boolean = false, $after: String) { postsConnection(where: $where, after: $after, orderBy: $order) { totalCount @include(if: $all) } }'
  const shape = (given: object) => coerce(text, given).shape
  const same = [
    [{ where: { title: { eq: 'a' } } }, { where: { title: { eq: 'b' } } }],
    [{ where: { title: { in: ['a'] } } }, { where: { title: { in: ['b', 'c'] } } }],
    [{ where: { meta: { isNull: true } } }, { where: { meta: { isNull: true } } }],
  ]
  for (const [a, b] of same) assert.equal(shape(a!), shape(b!))
  const different = [
    {},
    { where: null },
    { where: { title: { eq: 'a' } } },
    { where: { title: { ne: 'a' } } },
    { where: { not: { title: { eq: 'a' } } } },
    { where: { and: [{ title: { eq: 'a' } }] } },
    { where: { and: [{ title: { eq: 'a' } }, {}] } },
    { where: { pinned: { isNull: true } } },
    { where: { pinned: { isNull: false } } },
    { order: [{ title: 'ASC' }] },
    { order: [{ title: 'DESC' }] },
    { all: true },
    { after: 'WyJhIl0.x' },
    { after: 'W251bGxd.x' },
  ]
  assert.equal(new Set(different.map(shape)).size, different.length)
})

test('what a write takes is left to the write, but must be there where it is required', () => {
  const text =
    'mutation ($input: CreatePostInput!, $t: String!, $tags: [ID!], $id: ID!) { createPost(input: $input) { id } updatePost(id: $id, title: $t, tags: $tags) { id } }'
  const given = { input: { titel: 5 }, t: 5, tags: 't1', id: 'p1' }
  assert.deepEqual({ ...coerce(text, given).values }, { ...given, tags: ['t1'] })
  assert.equal(coerce(text, given).shape, coerce(text, { ...given, input: {} }).shape)
  assert.deepEqual(mistakes(text, { id: {} }), [
    'variables.input REQUIRED',
    'variables.t REQUIRED',
    'variables.id TYPE',
  ])
})

test('a filter nested beyond all sense is refused, not followed', () => {
  let where: object = {}
  for (let level = 0; level < 20_000; level++) where = { not: where }
  assert.equal(mistakes(list, { where }).length, 1)
  assert.match(mistakes(list, { where })[0]!, / RANGE$/)
})

test('a variable may be called like a member of every object', () => {
  const { values } = coerce(
    'query ($toString: Int, $__proto__: Int) { posts(limit: $toString, offset: $__proto__) { id } }',
    {},
  )
  assert.deepEqual([values.toString, Object.keys(values)], [undefined, []])
})
