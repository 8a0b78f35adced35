// The type system and the language of GraphQL, through the API and over real rows.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type GraphqlError, graphqlData, openApis, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  interface Node { id: ID! }
  interface Named implements Node { id: ID! name: String }
  type Boat implements Named & Node {
    id: ID! name: String length: Int draught: Float tags: [String!] grid: [[Int!]!] size: Size sizes: [Size!]
    old: Int @deprecated(reason: "Use length.") kind: Kind mark: Mark sails: [Sail!]!
  }
  type Sail implements Named & Node { id: ID! name: String boat: Boat! }
  type Size { width: Int! parts: [Int!] inner: Size old: Int @deprecated(reason: "No.") }
  enum Kind { SLOOP KETCH YAWL @deprecated(reason: "None left.") }
  union Seen = Boat | Sail
  scalar Mark @specifiedBy(url: "https://marks.example")
`

describe('the GraphQL language', () => {
  let apis: TestApis
  before(async () => {
    apis = await openApis(sdl)
    await graphqlData(apis, create, { input: { name: 'Ada', length: 9, sails: [{ name: 'jib' }] } })
    await graphqlData(apis, create, { input: { name: 'Bea', length: 7 } })
  })
  after(() => apis.close())

  const create =
    'mutation ($input: CreateBoatInput!) { createBoat(input: $input) { tags grid size { parts } sizes { width parts } sails { name } } }'

  test('a single value is coerced to a list of one, in literals and in variables, at every level', async () => {
    const input = {
      tags: 'a',
      grid: 1,
      size: { width: 1, parts: 2 },
      sizes: { width: 3, parts: 4 },
      sails: { name: 's' },
    }
    const literal = '{tags: "a", grid: 1, size: {width: 1, parts: 2}, sizes: {width: 3, parts: 4}, sails: {name: "s"}}'
    const expected = {
      tags: ['a'],
      grid: [[1]],
      size: { parts: [2] },
      sizes: [{ width: 3, parts: [4] }],
      sails: [{ name: 's' }],
    }
    assert.deepEqual(await graphqlData(apis, create, { input }), { createBoat: expected })
    const written = create.replace('($input: CreateBoatInput!)', '').replace('$input', literal)
    assert.deepEqual(await graphqlData(apis, written), { createBoat: expected })
  })

  test('variables are coerced as the specification says, and invalid ones are reported', async () => {
    const text =
      'query ($n: Int! = 1, $x: String, $in: [String!], $d: Direction!) { boats(limit: $n, where: {name: {eq: $x, in: $in}}, orderBy: [{name: $d}]) { name } }'
    const ada = { boats: [{ name: 'Ada' }] }
    assert.deepEqual(await graphqlData(apis, text, { d: 'ASC', x: 'Ada' }), ada)
    assert.deepEqual(await graphqlData(apis, text, { d: 'ASC', in: 'Ada', n: 1.0 }), ada)
    const wrong: [object, string[]][] = [
      [{ d: 'ASC', n: null }, ['variables.n REQUIRED']],
      [{ d: 'ASC', n: 1.5, x: 5 }, ['variables.n TYPE', 'variables.x TYPE']],
      [{ d: 'ASC', n: 3_000_000_000 }, ['variables.n RANGE']],
      [{ d: 'UP' }, ['variables.d TYPE']],
      [{}, ['variables.d REQUIRED']],
    ]
    for (const [variables, expected] of wrong) {
      const { errors } = await apis.graphql(text, variables)
      const places = errors[0]?.extensions?.errors?.map(({ path, code }) => `${path} ${code}`)
      assert.deepEqual(places, expected, JSON.stringify(variables))
    }
  })

  test('a variable of the wrong type is a request error, and nothing is executed', async () => {
    const query = `mutation ($i: CreateBoatInput!, $n: Int) {
      a: createBoat(input: {name: "Before"}) { id }
      b: createBoat(input: $i) { id }
      c: updateBoat(id: "none", length: $n) { id }
    }`
    const wrong: [object, string[]][] = [
      [
        { i: { nme: 'x', size: { inner: {} }, grid: [['x']] }, n: 1 },
        ['nme UNKNOWN', 'grid.0.0 TYPE', 'size.width REQUIRED', 'size.inner.width REQUIRED'],
      ],
      [
        { i: { length: 2 ** 31, kind: 'RAFT', sails: [{ nme: 'x' }] } },
        ['sails.0.nme UNKNOWN', 'length RANGE', 'kind TYPE'],
      ],
      [{ i: { sizes: [null], tags: [5] }, n: 'x' }, ['sizes.0 REQUIRED', 'tags.0 TYPE', 'length TYPE']],
    ]
    for (const [variables, expected] of wrong) {
      const { status, headers, body } = await apis.send('graphql', {
        method: 'POST',
        path: '/graphql',
        headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
        body: JSON.stringify({ query, variables }),
      })
      const answer = JSON.parse(String(body)) as { errors: GraphqlError[] }
      assert.deepEqual([status, Object.keys(answer)], [400, ['errors']], String(headers['content-type']))
      const places = answer.errors.flatMap(({ extensions }) => extensions?.errors ?? [])
      assert.deepEqual(places.map(({ path, code }) => `${path} ${code}`).sort(), expected.sort())
    }
    assert.deepEqual(await graphqlData(apis, '{ boats(where: {name: {eq: "Before"}}) { id } }'), { boats: [] })
  })

  test('a value of the right type that is not allowed is a field error, and earlier fields were executed', async () => {
    const text = `mutation ($i: CreateSailInput!) { a: createBoat(input: {name: "Kept"}) { name } b: createSail(input: $i) { id } }`
    const { data, errors } = await apis.graphql(text, { i: { boat: 'none' } })
    assert.deepEqual([data, errors.map(({ path }) => path)], [{ a: { name: 'Kept' }, b: null }, [['b']]])
    assert.deepEqual(await graphqlData(apis, '{ boats(where: {name: {eq: "Kept"}}) { name } }'), {
      boats: [{ name: 'Kept' }],
    })
  })

  test('an interface of interfaces and a union are read, filtered and ordered by what their members share', async () => {
    const text = `{
      nodes(limit: 1) { __typename id ... on Named { name } }
      nameds(where: {name: {in: ["jib", "Bea"]}}, orderBy: [{name: DESC}]) { __typename ...N ... on Sail { boat { length } } }
      seens(where: {name: {eq: "Ada"}}, orderBy: {name: ASC}) { ... on Named { name } ... on Boat { length } }
    } fragment N on Named { name ...T } fragment T on Node { kind: __typename }`
    const { nodes, ...rest } = await graphqlData(apis, text)
    assert.deepEqual((nodes as { name: string }[])[0]?.name, 'Ada')
    assert.deepEqual(rest, {
      nameds: [
        { __typename: 'Sail', name: 'jib', kind: 'Sail', boat: { length: 9 } },
        { __typename: 'Boat', name: 'Bea', kind: 'Boat' },
      ],
      seens: [{ name: 'Ada', length: 9 }],
    })
  })

  test('introspection has deprecations, interfaces of interfaces, specifiedBy and oneOf', async () => {
    const { boat, input, value, update, kind, mark, order, named } = (await graphqlData(
      apis,
      `{
        boat: __type(name: "Boat") { fields { name } all: fields(includeDeprecated: true) { name deprecationReason } }
        input: __type(name: "CreateBoatInput") { inputFields { name } all: inputFields(includeDeprecated: true) { name deprecationReason } }
        value: __type(name: "SizeInput") { all: inputFields(includeDeprecated: true) { name deprecationReason } }
        update: __type(name: "Mutation") { fields { name args(includeDeprecated: true) { name deprecationReason } } }
        kind: __type(name: "Kind") { all: enumValues(includeDeprecated: true) { name deprecationReason } }
        mark: __type(name: "Mark") { specifiedByURL }
        order: __type(name: "BoatOrder") { isOneOf }
        named: __type(name: "Named") { interfaces { name } possibleTypes { name } }
      }`,
    )) as Record<string, Introspected>
    const reason = (of: Introspected | undefined, name: string) =>
      of?.all?.find((one) => one.name === name)?.deprecationReason
    assert.equal(reason(boat, 'old'), 'Use length.')
    assert.ok(!boat?.fields?.some(({ name }) => name === 'old'))
    assert.equal(reason(input, 'old'), 'Use length.')
    assert.equal(reason(value, 'old'), 'No.')
    assert.equal(reason(kind, 'YAWL'), 'None left.')
    const updateBoat = update?.fields?.find(({ name }) => name === 'updateBoat')
    assert.equal(updateBoat?.args?.find(({ name }) => name === 'old')?.deprecationReason, 'Use length.')
    assert.deepEqual(mark, { specifiedByURL: 'https://marks.example' })
    assert.deepEqual(order, { isOneOf: true })
    assert.deepEqual(named, { interfaces: [{ name: 'Node' }], possibleTypes: [{ name: 'Boat' }, { name: 'Sail' }] })
  })
})

interface Introspected {
  name: string
  deprecationReason?: string
  fields?: Introspected[]
  all?: Introspected[]
  args?: Introspected[]
}
