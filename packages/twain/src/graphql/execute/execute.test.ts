import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#base'
import type { PlanResult } from '#plan'
import { fakeGraphql, oneRow, rows, written } from '../blog.fixture.ts'

const broken = new ApiError('UNAVAILABLE', 'not now', { hint: 'later' })
const create = 'createTag(input: {name: "x"}) { id }'

test('root fields let other requests take turns, and stop when the response would be too large', async () => {
  const text = JSON.stringify(['x'.repeat(9 << 20)])
  const slow: PlanResult = {
    kind: 'many',
    more: false,
    total: null,
    get text() {
      for (const until = performance.now() + 15; performance.now() < until; );
      return text
    },
  }
  const { run, executedPlans } = fakeGraphql({ answers: [slow, slow, rows, rows] })
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const { data, errors } = await run('{ a: posts { id } b: posts { id } c: posts { id } d: posts { id } }')
  clearInterval(timer)
  assert.ok(turns > 0)
  assert.equal(data, null)
  assert.deepEqual(
    errors?.map(({ path, extensions }) => [path, extensions.code]),
    [[['c'], 'QUERY_TOO_COSTLY']],
  )
  assert.equal(executedPlans.length, 2)
})

test('the root fields of a query are answered in the order of the request', async () => {
  const { run } = fakeGraphql({ answers: [rows, oneRow] })
  assert.deepEqual(await run('{ __typename posts { id } none: post(id: 1) { id } }'), {
    data: { __typename: 'Query', posts: [{ id: 'p1' }], none: { id: 'p1' } },
  })
})

test('a missing row is null, without an error', async () => {
  const { run } = fakeGraphql({ answers: [{ kind: 'one', text: null, version: 0 }] })
  assert.deepEqual(await run('{ post(id: 1) { id } }'), { data: { post: null } })
})

test('a failed row is null with an error; a failed list makes `data` null', async () => {
  const one = await fakeGraphql({ answers: [rows, broken] }).run('{ posts { id } post(id: 1) { id } }')
  assert.deepEqual(one.data, { posts: [{ id: 'p1' }], post: null })
  assert.deepEqual(one.errors, [
    {
      message: 'not now',
      locations: [{ line: 1, column: 16 }],
      path: ['post'],
      extensions: { code: 'UNAVAILABLE', hint: 'later' },
    },
  ])
  const list = await fakeGraphql({ answers: [oneRow, broken] }).run('{ post(id: 1) { id } posts { id } }')
  assert.equal(list.data, null)
})

test('mutations run in order, and the failure of one field takes nothing from the others', async () => {
  const taken = new ApiError('CONFLICT', 'taken')
  const { run, executedPlans } = fakeGraphql({ answers: [written, taken, written] })
  const response = await run(`mutation { a: ${create} b: ${create} c: ${create} }`)
  assert.equal(executedPlans.length, 3)
  const { a, b, c } = response.data as Record<string, unknown>
  assert.deepEqual([a !== null, b, c], [true, null, a])
  assert.deepEqual(
    response.errors?.map(({ path, extensions }) => [path, extensions.code]),
    [[['b'], 'CONFLICT']],
  )
})

test('the fields behind one that found the server unavailable do not run', async () => {
  const { run, executedPlans } = fakeGraphql({ answers: [written, broken, written] })
  const response = await run(`mutation { a: ${create} b: ${create} c: ${create} d: __typename }`)
  assert.equal(executedPlans.length, 2)
  const { a, ...others } = response.data as Record<string, unknown>
  assert.deepEqual([a !== null, others], [true, { b: null, c: null, d: 'Mutation' }])
  assert.deepEqual(
    response.errors?.map(({ path, message, extensions }) => [path, message, extensions.code]),
    [
      [['b'], 'not now', 'UNAVAILABLE'],
      [['c'], 'It has not run: the server was unavailable for an earlier field.', 'UNAVAILABLE'],
    ],
  )
})

test('no field of a mutation runs if a variable is not of its type; every write reports its problems', async () => {
  const { run, executedPlans } = fakeGraphql({ answers: [written] })
  const text = `mutation ($i: CreateTagInput!, $n: String) { a: ${create} b: createTag(input: $i) { id } c: updateTag(id: 1, name: $n) { id } }`
  const response = await run(text, { i: { nme: 'x' }, n: 5 })
  assert.equal(executedPlans.length, 0)
  assert.deepEqual(
    response.errors?.map(({ path, locations, extensions }) => [
      path,
      text.slice((locations?.[0]?.column ?? 0) - 1, locations?.[0]?.column),
      extensions.errors?.map((wrong) => `${wrong.path} ${wrong.code}`),
    ]),
    [
      [undefined, 'b', ['nme UNKNOWN']],
      [undefined, 'c', ['name TYPE']],
    ],
  )
  assert.equal('data' in response, false)
})

test('an unexpected error is reported with the id of its request, also in a batch', async () => {
  const reported: (string | undefined)[] = []
  const { send } = fakeGraphql({
    answers: [new Error('bug')],
    onError: (_error, _id, request) => reported.push(request),
  })
  const exchange = {
    id: 'r1',
    responseHeaders: [],
    viewer: null,
    stages: null,
    countMore: null,
    reauthenticate: null,
    eventIdSuffix: '',
    route: null,
    span: null,
    client: '',
    address: '',
    connection: null,
    passwords: 0,
  }
  const query = '{ post(id: 1) { id } }'
  for (const body of [{ query }, [{ query }, { query }]]) {
    await send({ context: exchange, body: async () => Buffer.from(JSON.stringify(body)) })
  }
  assert.deepEqual(reported, ['r1', 'r1', 'r1'])
})

test('an error that is not an ApiError is masked with an id and passed to onError', async () => {
  const reported: [unknown, string][] = []
  const bug = new Error('secret')
  const { run } = fakeGraphql({ answers: [bug], onError: (error, id) => reported.push([error, id]) })
  const { data, errors } = await run('{ post(id: 1) { id } }')
  assert.deepEqual(data, { post: null })
  assert.deepEqual(errors?.[0]?.extensions, { code: 'INTERNAL', id: reported[0]?.[1] })
  assert.ok(!JSON.stringify(errors).includes('secret'))
  assert.equal(reported[0]?.[0], bug)
  await assert.rejects(fakeGraphql({ answers: [bug] }).run('{ post(id: 1) { id } }'), bug)
})
