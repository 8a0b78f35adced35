// Root fields of mutations are nullable: what was committed is answered beside the error of another field. A `@transaction` is all
// or none, and so is its answer.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type Tag @allow { id: ID! name: String! @unique }
  extend type Mutation { count: Int! @allow fail: Int! @allow }
`

const service: ServiceCode = {
  resolvers: {
    Mutation: {
      count: () => 3,
      fail: () => {
        throw Object.assign(new Error('Closed.'), { code: 'CONFLICT' })
      },
    },
  },
}

let apis: TestApis
before(async () => {
  apis = await openApis(sdl, {}, undefined, undefined, undefined, { service })
})
after(() => apis.close())

const tag = (name: string) => `createTag(input: {name: "${name}"}) { name }`

async function send(query: string, variables?: unknown) {
  const { data, errors } = await apis.graphql(query, variables)
  return { data, errors: errors.map(({ path, extensions }) => [path, extensions?.code]) }
}

const names = async () =>
  ((await restBody(apis, 'GET', '/tags?sort=name')) as { name: string }[]).map(({ name }) => name)

test('the failure of one field takes nothing from the others, and those behind it run', async () => {
  assert.deepEqual(
    await send(`mutation { a: ${tag('a')} b: ${tag('a')} c: ${tag('c')} d: count e: fail f: __typename }`),
    {
      data: { a: { name: 'a' }, b: null, c: { name: 'c' }, d: 3, e: null, f: 'Mutation' },
      errors: [
        [['b'], 'CONFLICT'],
        [['e'], 'CONFLICT'],
      ],
    },
  )
  assert.deepEqual(await names(), ['a', 'c'])
})

test('lists, deletes and writes by filters fail as one field too', async () => {
  const answer = await send(
    'mutation { a: createTags(inputs: [{name: "x"}, {name: "x"}]) { name } b: deleteTag(id: "none") { success } c: deleteTags(where: {}) { count } d: createEachTag(inputs: []) { id } }',
  )
  assert.deepEqual(answer, {
    data: { a: null, b: { success: false }, c: null, d: null },
    errors: [
      [['a'], 'CONFLICT'],
      [['c'], 'BAD_REQUEST'],
      [['d'], 'VALIDATION_FAILED'],
    ],
  })
})

test('a value of the wrong type refuses the whole document before any field runs', async () => {
  const before = await names()
  const query = `mutation ($n: String!) { a: ${tag('early')} b: createTag(input: {name: $n}) { name } }`
  const { data, errors } = await send(query, { n: 5 })
  assert.deepEqual([data, errors], [null, [[undefined, 'VALIDATION_FAILED']]])
  assert.deepEqual(await names(), before)
})

test('the data of a transaction that fails is null as a whole', async () => {
  const before = await names()
  const answer = await send(`mutation @transaction { a: ${tag('one')} b: ${tag('one')} }`)
  assert.deepEqual(answer, { data: null, errors: [[['b'], 'CONFLICT']] })
  assert.deepEqual(await names(), before)
})
