import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  buildClientSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from 'graphql'
import { loadModel } from '#model'
import { blog, fakeGraphql, responseOf, rows } from '../blog.fixture.ts'
import { buildApiSchema } from '../schema/build-schema.ts'

const everything = {
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
}

test('introspection returns the served schema', async () => {
  const { run } = fakeGraphql()
  const { data, errors } = await run(getIntrospectionQuery(everything))
  assert.equal(errors, undefined)
  const introspected = buildClientSchema(data as unknown as IntrospectionQuery)
  const served = buildApiSchema(blog).schema
  assert.equal(printSchema(lexicographicSortSchema(introspected)), printSchema(lexicographicSortSchema(served)))
})

test('introspection works beside data, with aliases, fragments and variables', async () => {
  const { run } = fakeGraphql({ answers: [rows] })
  const text = 'query ($n: String!) { t: __type(name: $n) { ...f } posts { id } } fragment f on __Type { kind name }'
  for (const name of ['Post', 'Status']) {
    const { data } = await run(text, { n: name })
    assert.deepEqual(data?.t, { kind: name === 'Post' ? 'OBJECT' : 'ENUM', name })
    assert.deepEqual(data?.posts, [{ id: 'p1' }])
  }
})

test('two operations that share a fragment have separate results', async () => {
  const { send } = fakeGraphql()
  const query = `query A { ...f }
    query B { ...f __type(name: "Post") { kind } }
    fragment f on Query { __type(name: "Post") { name } }`
  const answers: unknown[] = []
  for (const operationName of ['A', 'B']) {
    const reply = await send({ body: async () => Buffer.from(JSON.stringify({ query, operationName })) })
    answers.push(responseOf(reply).data?.__type)
  }
  assert.deepEqual(answers, [{ name: 'Post' }, { name: 'Post', kind: 'OBJECT' }])
})

test('introspection lists the directives with their descriptions', async () => {
  const { data } = await fakeGraphql().run('{ __schema { directives { name description } } }')
  const { directives } = data!.__schema as { directives: { name: string; description: string }[] }
  const unique = directives.find(({ name }) => name === 'unique')
  assert.ok(unique?.description)
})

test('a result that is too long is rejected each time', async () => {
  const model = loadModel(`"${'x'.repeat(100_000)}" type A { id: ID! }`, 'a.graphql')
  const { run } = fakeGraphql({ model })
  const of = (count: number) =>
    `{ __type(name: "A") { ${Array.from({ length: count }, (_, i) => `d${i}: description`).join(' ')} } }`
  for (const _ of [1, 2]) {
    const { errors } = await run(of(81))
    assert.match(JSON.stringify(errors), /QUERY_TOO_COSTLY/)
  }
  assert.equal((await run(of(79))).errors, undefined)
})
