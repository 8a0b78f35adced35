import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OperationDefinitionNode, parse } from 'graphql'
import { blog } from '../blog.fixture.ts'
import { buildApiSchema } from '../schema/build-schema.ts'
import { RequestErrors } from './response-errors.ts'
import { variableUses } from './variable-uses.ts'
import { coerceVariables, variablesOf } from './variables.ts'

const { schema, roots, coercers } = buildApiSchema(blog)

function coerce(text: string, rawValues: object) {
  const document = parse(text)
  const operation = document.definitions[0] as OperationDefinitionNode
  const variables = variablesOf(operation, schema, variableUses(document, roots), coercers, roots.nodes)
  return coerceVariables(variables, rawValues as Record<string, unknown>)
}

function mistakes(text: string, rawValues: object): string[] {
  try {
    coerce(text, rawValues)
  } catch (error) {
    if (!(error instanceof RequestErrors)) throw error
    return error.errors[0]!.extensions.errors!.map(({ path, code }) => `${path} ${code}`)
  }
  return []
}

const list =
  'query ($where: PostWhere, $n: Int! = 5, $order: [PostOrder!], $ids: [ID!], $status: Status) { posts(where: $where) { id } }'

test('all problems are reported at once, each with its path', () => {
  const rawValues = {
    where: { titel: {}, title: { eq: 5, contians: 'x' }, and: { pinned: { eq: 'yes' } }, author: [] },
    n: null,
    order: { title: 'DOWN' },
    ids: ['a', null],
    status: 'GONE',
  }
  assert.deepEqual(mistakes(list, rawValues), [
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

test('errors of variables have the locations of their definitions', () => {
  try {
    coerce(list, { where: { a: 1, b: 2 }, n: 1, ids: [null] })
    assert.fail('it passed')
  } catch (error) {
    assert.ok(error instanceof RequestErrors)
    const columns = error.errors[0]?.locations?.map(({ column }) => list.slice(column - 1, column + 3))
    assert.deepEqual(columns, ['$whe', '$ids'])
  }
})

test('an error suggests a similar name', () => {
  assert.throws(() => coerce(list, { where: { titel: {} } }), { message: /Did you mean "title"/ })
})

test('an order names exactly one field', () => {
  assert.deepEqual(mistakes(list, { order: [{ title: 'ASC', id: 'ASC' }, {}] }), [
    'variables.order.0 TYPE',
    'variables.order.1 TYPE',
  ])
})

test('defaults apply, single values become lists, and values are not converted', () => {
  const { values } = coerce(list, { ids: 'a', where: { or: { title: { in: 'x' } } } })
  assert.deepEqual({ ...values }, { n: 5, ids: ['a'], where: { or: [{ title: { in: ['x'] } }] } })
})

test('the shape changes only with the parts of a value that change the plan', () => {
  const text =
    'query ($where: PostWhere, $order: [PostOrder!], $all: Boolean = false, $after: String) { postsConnection(where: $where, after: $after, orderBy: $order) { totalCount @include(if: $all) } }'
  const shape = (rawValues: object) => coerce(text, rawValues).shape
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

test('the input of a write is checked by the write, but must be present if it is required', () => {
  const text =
    'mutation ($input: CreatePostInput!, $t: String!, $tags: [ID!], $id: ID!) { createPost(input: $input) { id } updatePost(id: $id, title: $t, tags: $tags) { id } }'
  const rawValues = { input: { titel: 5 }, t: 5, tags: 't1', id: 'p1' }
  assert.deepEqual({ ...coerce(text, rawValues).values }, { ...rawValues, tags: ['t1'] })
  assert.equal(coerce(text, rawValues).shape, coerce(text, { ...rawValues, input: {} }).shape)
  assert.deepEqual(mistakes(text, { id: {} }), [
    'variables.input REQUIRED',
    'variables.t REQUIRED',
    'variables.id TYPE',
  ])
})

test('a filter that is nested too deep is rejected', () => {
  let where: object = {}
  for (let level = 0; level < 20_000; level++) where = { not: where }
  assert.equal(mistakes(list, { where }).length, 1)
  assert.match(mistakes(list, { where })[0]!, / RANGE$/)
})

test('a variable may have the name of a member of Object.prototype', () => {
  const { values } = coerce(
    'query ($toString: Int, $__proto__: Int) { posts(limit: $toString, offset: $__proto__) { id } }',
    {},
  )
  assert.deepEqual([values.toString, Object.keys(values)], [undefined, []])
})
