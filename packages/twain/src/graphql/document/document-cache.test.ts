import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCpuTimer } from '#cpu-time'
import { defaultLimits } from '#plan'
import { blog } from '../blog.fixture.ts'
import { buildApiSchema } from '../schema/build-schema.ts'
import { DocumentCache } from './document-cache.ts'
import { RequestErrors } from './response-errors.ts'

const apiSchema = buildApiSchema(blog)
const documents = () => new DocumentCache(apiSchema, defaultLimits)

function errorsOf(text: string) {
  try {
    documents().find(text, null)
  } catch (error) {
    if (error instanceof RequestErrors) return error.errors
    throw error
  }
  return []
}

test('a repeated document comes from the cache', () => {
  const known = documents()
  assert.equal(known.find('{ posts { id } }', null), known.find('{ posts { id } }', null))
})

test('a document with a syntax error or too many tokens fails to parse', () => {
  const [error] = errorsOf('{ posts { id }')
  assert.equal(error?.extensions.code, 'GRAPHQL_PARSE_FAILED')
  assert.deepEqual(error?.locations, [{ line: 1, column: 15 }])
  assert.match(errorsOf(`{ ${'a '.repeat(2000)} }`)[0]!.message, /2000 tokens/)
})

test('validation errors come all at once, with locations and suggestions', () => {
  const errors = errorsOf('{ pots { id } post { id } user(id: 1) { nam } }')
  assert.deepEqual(new Set(errors.map(({ extensions }) => extensions.code)), new Set(['GRAPHQL_VALIDATION_FAILED']))
  assert.equal(errors.length, 3)
  assert.match(errors[0]!.message, /Did you mean "post/)
})

test('depth and cost are checked before validation', () => {
  assert.throws(() => documents().find(`{ ${'posts { id } '.repeat(40)} pots }`, null), {
    name: 'RequestErrors',
    message: /^The query costs 1201;/,
  })
})

test('operationName chooses among several operations', () => {
  const text = 'query A { posts { id } } mutation B { deletePost(id: 1) { success } }'
  assert.equal(documents().find(text, 'A').kind, 'query')
  assert.equal(documents().find(text, 'B').kind, 'mutation')
  assert.throws(() => documents().find(text, null), { code: 'BAD_REQUEST', hint: 'There are A, B.' })
  assert.throws(() => documents().find(text, 'C'), { code: 'BAD_REQUEST' })
  assert.throws(() => documents().find('fragment f on Post { id }', null), RequestErrors)
})

test('hostile documents of 2,000 tokens are rejected or validated in bounded time', () => {
  const hostile = {
    aliases: `{ post(id: 1) { ${'a: title '.repeat(600)} } }`,
    arguments: `{ ${'post(id: 1) { id } '.repeat(200)} }`,
    fragments: `{ post(id: 1) { ${Array.from({ length: 180 }, (_, i) => `...g${i}`).join(' ')} } } ${Array.from({ length: 180 }, (_, i) => `fragment g${i} on Post { x: title }`).join(' ')}`,
    introspection: `{ __schema { types { ${'fields { name type { name } } '.repeat(200)} } } }`,
    unknown: `{ ${Array.from({ length: 1900 }, (_, i) => `x${i}`).join(' ')} }`,
  }
  for (const [name, text] of Object.entries(hostile)) {
    const took = startCpuTimer()
    try {
      documents().find(text, null)
    } catch (error) {
      assert.ok(error instanceof RequestErrors || (error as { code?: string }).code === 'QUERY_TOO_COSTLY')
    }
    const cost = took()
    assert.ok(cost < 500, `${name} took ${cost} ms`)
  }
})
