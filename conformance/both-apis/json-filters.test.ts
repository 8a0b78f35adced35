// Filters of scalars inside JSON fields: types never mix, numbers compare as numbers, nothing fails whatever the rows hold, and the
// same on both stores; rules, custom scalars of value types, mistakes, later requests of the same shape.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { system } from '../../packages/twain/src/base/http/index.ts'
import { graphqlData, openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type Part @allow { id: ID! data: JSON box: Box }
  type Box { extra: JSON }
  type Door @allow(to: [CREATE, UPDATE])
    @allow(to: [READ], where: {or: [{data: {path: "state", istartsWith: "OPEN"}}, {data: {path: "state", in: [5, "x"]}}]}) {
    id: ID! data: JSON
  }
  type Secret @allow(to: [CREATE]) @allow(to: [READ], where: {data: {path: "level", lte: 3}}) { id: ID! data: JSON }
`
const values = {
  text: 'b',
  digits: '5',
  five: 5,
  float: 5.5,
  big: 9007199254740991,
  negative: -1e-7,
  yes: true,
  no: false,
  one: 1,
  nothing: null,
  object: { b: 1 },
  list: ['b', 5],
  accent: 'é',
  emoji: '😀',
  private: '\uffff',
  empty: '',
}
type Value = (typeof values)[keyof typeof values]

let apis: TestApis
before(async () => {
  apis = await openApis(sdl)
  for (const [id, v] of Object.entries(values)) {
    const data = { a: { v } }
    await restBody(apis, 'PUT', `/parts/${id}`, { data, box: { extra: { v } } })
  }
  await restBody(apis, 'PUT', '/parts/none', {})
  await restBody(apis, 'PUT', '/parts/scalar', { data: 5 })
  await restBody(apis, 'PUT', '/parts/array', { data: [{ a: { v: 5 } }] })
})
after(() => apis.close())

const query = 'query ($w: PartWhere) { parts(where: $w, limit: 50) { id } }'

async function find(where: object): Promise<string[]> {
  const { parts } = (await graphqlData(apis, query, { w: where })) as { parts: { id: string }[] }
  const path = `/parts?limit=50&fields=id&where=${encodeURIComponent(JSON.stringify(where))}`
  assert.deepEqual(await restBody(apis, 'GET', path), parts, JSON.stringify(where))
  return parts.map(({ id }) => id)
}

const typeOf = (value: unknown) => (typeof value === 'object' ? null : typeof value)
const points = (text: string) =>
  Array.from(text, (character) => character.codePointAt(0)!.toString(16).padStart(6, '0')).join()

/** As the documentation says. */
function holds(op: string, value: Value | undefined, operand: unknown): boolean {
  const isSame = value !== undefined && typeOf(value) !== null && typeOf(value) === typeOf(operand)
  if (op === 'eq') return isSame && value === operand
  if (op === 'ne') return !(isSame && value === operand)
  if (!isSame || typeof operand === 'boolean') return false
  const [a, b] = typeof value === 'string' ? [points(value), points(operand as string)] : [value, operand as number]
  return { lt: a! < b!, lte: a! <= b!, gt: a! > b!, gte: a! >= b! }[op]!
}

test('every operator with every operand, beside plain JavaScript', async () => {
  const operands = [...Object.values(values).filter((value) => value !== null), 1.0, 5.25, 'c', '\u{10ffff}']
  const others = ['none', 'scalar', 'array']
  for (const op of ['eq', 'ne', 'lt', 'lte', 'gt', 'gte']) {
    for (const operand of operands) {
      const expected = Object.entries(values).filter(([, value]) => holds(op, value, operand))
      const ids = [...expected.map(([id]) => id), ...(op === 'ne' ? others : [])].toSorted()
      assert.deepEqual(await find({ data: { path: 'a.v', [op]: operand } }), ids, `${op} ${JSON.stringify(operand)}`)
    }
  }
  const all = [...Object.keys(values), ...others]
  const five = await find({ data: { path: 'a.v', gte: 5 } })
  const rest = await find({ not: { data: { path: 'a.v', gte: 5 } } })
  assert.deepEqual([...five, ...rest].toSorted(), all.toSorted())
})

test('null and missing values', async () => {
  assert.deepEqual(await find({ data: { path: 'a.v', isNull: true } }), ['array', 'none', 'nothing', 'scalar'])
  assert.deepEqual(await find({ data: { path: 'a.v', exists: false } }), ['array', 'none', 'scalar'])
  assert.deepEqual(await find({ data: { path: 'a.v', exists: true, isNull: true } }), ['nothing'])
  assert.deepEqual(await find({ data: { path: 'a.v.b', eq: 1 } }), ['object'])
  assert.deepEqual(await find({ not: { data: { path: 'a', exists: true } } }), ['array', 'none', 'scalar'])
})

test('a JSON field inside a value type', async () => {
  assert.deepEqual(await find({ box: { extra: { path: 'v', eq: true } } }), ['yes'])
  assert.deepEqual(await find({ box: { extra: { path: 'v', exists: false } } }), ['array', 'none', 'scalar'])
})

test('parameters of REST: the text is JSON, other text is a string', async () => {
  const byRest = async (parameter: string) =>
    ((await restBody(apis, 'GET', `/parts?fields=id&${parameter}`)) as { id: string }[]).map(({ id }) => id).join()
  assert.equal(await byRest('data.a.v=5'), 'five')
  assert.equal(await byRest('data.a.v="5"'), 'digits')
  assert.equal(await byRest('data.a.v=b'), 'text')
  assert.equal(await byRest('data.a.v[eq]=true'), 'yes')
  assert.equal(await byRest('data.a.v[gt]=5&data.a.v[lt]=6'), 'float')
  assert.equal(await byRest('data.a.v[exists]=false'), 'array,none,scalar')
  assert.equal(await byRest('data.a.v[exists]=true&data.a.v[isNull]=true'), 'nothing')
  assert.equal(await byRest('box.extra.v=5.5'), 'float')
})

test('a path in a variable is a value: a later request of the same shape has its own', async () => {
  const text = 'query ($p: String, $v: JSON) { parts(where: {data: {path: $p, eq: $v}}) { id } }'
  for (const [p, v, expected] of [
    ['a.v', 'b', ['text']],
    ['a.v.b', 1, ['object']],
    ['a.v', 5, ['five']],
    ['x', 5, []],
  ] as const) {
    const { parts } = (await graphqlData(apis, text, { p, v })) as { parts: { id: string }[] }
    assert.deepEqual(
      parts.map(({ id }) => id),
      expected,
    )
  }
})

test('mistakes', async () => {
  for (const filter of [
    { path: 'a.0', eq: 1 },
    { path: 'a."b', eq: 1 },
    { path: "a'b", eq: 1 },
    { path: '', eq: 1 },
    { path: 'a' },
    { path: 'a', eq: null },
    { path: 'a', between: [1, 2] },
    { path: 'a', contains: 5 },
    { path: 'a', in: null },
    { eq: 1 },
    { path: null, eq: 1 },
    { path: `${'a.'.repeat(10)}a`, eq: 1 },
  ]) {
    const where = { data: filter }
    const { status } = await apis.rest('GET', `/parts?where=${encodeURIComponent(JSON.stringify(where))}`)
    const { errors } = await apis.graphql(query, { w: where })
    assert.deepEqual([status, errors.length > 0], [400, true], JSON.stringify(filter))
  }
  for (const parameter of ['data.0=1', 'data.a[between]=1,2', 'data.a=null', 'data.a[exists]=x'])
    assert.equal((await apis.rest('GET', `/parts?${parameter}`)).status, 400, parameter)
})

test('in a rule', async () => {
  for (const data of [{ level: 3 }, { level: 4 }, { level: '1' }, { level: null }, {}, null])
    await apis.rest('POST', '/secrets', { data })
  assert.deepEqual(await restBody(apis, 'GET', '/secrets?fields=data'), [{ data: { level: 3 } }])
})

/** Lower case, without accents: enough for the values here. */
const fold = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

const texts: Record<string, (value: string, operand: string) => boolean> = {
  contains: (value, operand) => value.includes(operand),
  startsWith: (value, operand) => value.startsWith(operand),
  endsWith: (value, operand) => value.endsWith(operand),
  ieq: (value, operand) => fold(value) === fold(operand),
  icontains: (value, operand) => fold(value).includes(fold(operand)),
  istartsWith: (value, operand) => fold(value).startsWith(fold(operand)),
  iendsWith: (value, operand) => fold(value).endsWith(fold(operand)),
}

test('operators of texts match strings only, whatever else the rows hold', async () => {
  const strings = Object.entries(values).filter(([, value]) => typeof value === 'string') as [string, string][]
  const all = [...Object.keys(values), 'none', 'scalar', 'array'].toSorted()
  for (const [op, matches] of Object.entries(texts)) {
    for (const operand of ['b', 'B', '5', 'É', 'e', '😀', '', 'true']) {
      const ids = strings.filter(([, value]) => matches(value, operand)).map(([id]) => id)
      const where = { data: { path: 'a.v', [op]: operand } }
      assert.deepEqual(await find(where), ids.toSorted(), `${op} ${operand}`)
      const others = all.filter((id) => !ids.includes(id))
      assert.deepEqual(await find({ not: where }), others, `not ${op} ${operand}`)
    }
  }
  assert.deepEqual(await find({ box: { extra: { path: 'v', startsWith: 'b' } } }), ['text'])
  assert.deepEqual(await restBody(apis, 'GET', '/parts?data.a.v[endsWith]=5&fields=id'), [{ id: 'digits' }])
  assert.deepEqual(await restBody(apis, 'GET', '/parts?data.a.v[icontains]=B&fields=id'), [{ id: 'text' }])
})

test('in and notIn compare values with their types', async () => {
  const all = [...Object.keys(values), 'none', 'scalar', 'array'].toSorted()
  for (const [operand, ids] of [
    [
      ['b', 5, true],
      ['five', 'text', 'yes'],
    ],
    [['5'], ['digits']],
    [
      [1, false],
      ['no', 'one'],
    ],
    [
      [5.5, -1e-7, 'é'],
      ['accent', 'float', 'negative'],
    ],
    [[], []],
    [[['b', 5], { b: 1 }], []],
  ] as [unknown[], string[]][]) {
    assert.deepEqual(await find({ data: { path: 'a.v', in: operand } }), ids, JSON.stringify(operand))
    const others = all.filter((id) => !ids.includes(id))
    assert.deepEqual(await find({ data: { path: 'a.v', notIn: operand } }), others)
    assert.deepEqual(await find({ not: { data: { path: 'a.v', in: operand } } }), others)
  }
  const listed = await restBody(apis, 'GET', '/parts?data.a.v[in]=b,5,true&fields=id')
  assert.deepEqual(listed, [{ id: 'five' }, { id: 'text' }, { id: 'yes' }])
})

test('rules have them too', async () => {
  for (const [id, state] of [
    ['open', 'Open'],
    ['later', 'opening'],
    ['shut', 'shut'],
    ['five', 5],
  ] as const)
    await restBody(apis.as(system), 'PUT', `/doors/${id}`, { data: { state } })
  assert.deepEqual(await restBody(apis, 'GET', '/doors?fields=id'), [{ id: 'five' }, { id: 'later' }, { id: 'open' }])
})

test('wrong operands are refused with their place', async () => {
  for (const [path, message] of [
    ['/parts?where={"data":{"path":"a.v","contains":5}}', 'must be a text.'],
    ['/parts?where={"data":{"path":"a.v","in":5}}', 'must be a list.'],
    ['/parts?where={"data":{"path":"a.v","in":[null]}}', 'must not be null.'],
    ['/parts?data.a.v[between]=1,2', null],
  ] as const) {
    const { status, body } = await apis.rest('GET', encodeURI(path))
    assert.equal(status, 400, path)
    if (message !== null) assert.match(JSON.stringify(body), new RegExp(message.slice(0, 7)), path)
  }
})
