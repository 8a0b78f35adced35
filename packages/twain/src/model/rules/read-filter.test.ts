import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'
import { loadModel } from '../load-model.ts'

const rest = `{ id: ID! title: String n: Int on: Boolean e: E json: JSON tags: [String!] at: DateTime d: Decimal v: V to: A bs: [B!]! }
  enum E { X } type V { x: Int } type B { id: ID! a: A y: Int }`

const several = 'type S { id: ID! s: Int } type R { id: ID! r: Int } union U = S | R'
const holder = '{ id: ID! of: U }'

const wrong: Record<string, MistakeCase> = {
  'an unknown operator': [`type A @allow(where: {n: {‹gtt: 1}}) ${rest}`, 'Did you mean "gt'],
  'an operator of texts on a number': [
    `type A @allow(where: {n: {‹contains: 1}}) ${rest}`,
    'A.n has no operator contains',
  ],
  'an order of booleans': [`type A @allow(where: {on: {‹lt: true}}) ${rest}`, 'no operator lt'],
  'a value of the wrong type': [`type A @allow(where: {n: {eq: ‹"1"}}) ${rest}`, 'A.n in this filter'],
  'one value for in': [`type A @allow(where: {n: {in: ‹1}}) ${rest}`, 'Write: [1]'],
  'an unknown enum value': [`type A @allow(where: {e: {eq: ‹Y}}) ${rest}`, 'Did you mean "X"'],
  'a value without an operator': [`type A @allow(where: {n: ‹1}) ${rest}`, 'Write: {eq: …}'],
  'isNull with a text': [`type A @allow(where: {n: {isNull: ‹"no"}}) ${rest}`, 'true or false'],
  'an operator on a list of resources': [`type A @allow(where: {bs: {‹eq: "b1"}}) ${rest}`, '{some: {…}}'],
  'an unknown field behind a reference': [
    `type A @allow(where: {to: {bs: {some: {‹z: {eq: 1}}}}}) ${rest}`,
    'B has no field z',
  ],
  'an unknown field in a value': [`type A @allow(where: {v: {‹z: {eq: 1}}}) ${rest}`, 'V has no field z'],
  'null as a value': [`type A @allow(where: {n: {eq: ‹null}}) ${rest}`, '{isNull: true}'],
  'a NUL character': [`type A @allow(where: {title: {eq: ‹"\\u0000"}}) ${rest}`, 'without NUL'],
  'isNull inside not of a reference': [
    `type A @allow(where: {to: {not: {‹isNull: true}}}) ${rest}`,
    'the row always exists',
  ],
  'a field that stands twice': [`type A @allow(where: {n: {gt: 1}, ‹n: {lt: 3}}) ${rest}`, 'n is listed twice here'],
  'an unknown field of a type': [
    `${several} type A @allow(where: {of: {S: {‹z: {eq: 1}}}}) ${holder}`,
    'S has no field z',
  ],
  'an unknown type': [`${several} type A @allow(where: {of: {_type: {eq: ‹X}}}) ${holder}`, 'U._type in this filter'],
  'an operator that types lack': [
    `${several} type A @allow(where: {of: {_type: {‹lt: S}}}) ${holder}`,
    'eq, ne, in, notIn',
  ],
  'a type that is no member': [`${several} type A @allow(where: {of: {‹Q: {}}}) ${holder}`, 'U has no field Q'],
  'a claim with an operator of texts': [
    `type A @allow(where: {title: {contains: ‹{claim: "x"}}}) ${rest}`,
    'Write one of eq, ne, in, notIn, lt, lte, gt, gte',
  ],
  'a claim in between': [`type A @allow(where: {n: {between: [‹{claim: "x"}, 3]}}) ${rest}`, 'the whole value'],
  'a claim in a list': [`type A @allow(where: {n: {in: [1, ‹{claim: "x"}]}}) ${rest}`, '{in: {claim: "org_ids"}}'],
  'a claim for isNull': [`type A @allow(where: {n: {isNull: ‹{claim: "x"}}}) ${rest}`, 'true or false'],
  'a misspelt claim': [`type A @allow(where: {n: {eq: {‹clam: "x"}}}) ${rest}`, 'Did you mean "claim"'],
  'a claim without a name': [`type A @allow(where: {n: {eq: {claim: ‹""}}}) ${rest}`, 'named by a text'],
  'a claim with more': [`type A @allow(where: {n: {eq: {claim: "x", ‹or: 1}}}) ${rest}`, 'nothing else'],
  'a claim for a list': [`type A @allow(where: {tags: {eq: ‹{claim: "x"}}}) ${rest}`, 'A.tags is a list'],
  'a claim for a reference': [
    `type A @allow(where: {to: {‹eq: {claim: "x"}}}) ${rest}`,
    'Compare its id: {to: {id: {eq: {claim: "…"}}}}',
  ],
  'a claim for a state': [
    `type A @allow(where: {s: {eq: ‹{claim: "x"}}}) { id: ID! s: S } enum S { X @next(to: [Y]) Y }`,
    'A.s is a state machine',
  ],
  'a claim as the default of a value type': [
    `type A { id: ID! v: V } type V { x: Int @default(value: ‹{claim: "x"}) }`,
    'only fields of rows take one',
  ],
  'a misspelt claim in a default': [`type A { id: ID! n: Int @default(value: {‹klaim: "x"}) }`, 'Did you mean "claim"'],
  'a mistake inside and, or, not': [
    `type A @allow(where: {and: [{not: {or: {‹z: {eq: 1}}}}]}) ${rest}`,
    'A has no field z',
  ],
}

for (const [title, mistake] of Object.entries(wrong)) test(`${title} is a mistake`, () => expectMistakes(mistake))

test('a valid filter becomes plain JSON with values in canonical form', () => {
  const { resources } = loadModel(
    `type A @allow(where: {or: [{n: {in: [1, 2]}}, {title: {startsWith: "a"}}, {title: {ieq: "É"}}], e: {ne: X}, to: {isNull: false, not: {title: {isNull: false}}},
       bs: {none: {y: {gte: 3}}}, v: {x: {eq: 1}}, tags: {contains: "t"}, at: {lt: "2024-05-01T14:00:00+02:00"}, and: {d: {eq: 1.50}}}) ${rest}`,
    'test.graphql',
  )
  assert.deepEqual(resources[0]!.rules[0]!.where, {
    or: [{ n: { in: [1, 2] } }, { title: { startsWith: 'a' } }, { title: { ieq: 'É' } }],
    e: { ne: 'X' },
    to: { isNull: false, not: { title: { isNull: false } } },
    bs: { none: { y: { gte: 3 } } },
    v: { x: { eq: 1 } },
    tags: { contains: 't' },
    at: { lt: '2024-05-01T12:00:00.000Z' },
    and: [{ d: { eq: '1.5' } }],
  })
})

test('a filter by type keeps the fields of the type, and a bare type is a condition on the type', () => {
  const { resources } = loadModel(
    `${several} type A @allow(where: {of: {R: {}, not: {S: {s: {gt: 1}}}, _type: {in: [S, R]}}}) ${holder}`,
    'test.graphql',
  )
  assert.deepEqual(resources.find(({ name }) => name === 'A')!.rules[0]!.where, {
    of: { not: { S: { s: { gt: 1 } } }, _type: { in: ['S', 'R'] }, and: [{ _type: { eq: 'R' } }] },
  })
})

const account = 'type U @account { id: ID! email: String @unique boss: U } union W = U | P type X { id: ID! u: U }'

test('isViewer is allowed where a row can be an account', () => {
  expectMistakes([
    `type P @allow(where: {author: {isViewer: true}, by: {not: {isViewer: true}}, members: {some: {isViewer: true, boss: {isViewer: false}}}})
    { id: ID! author: U by: W members: [U!]! } ${account}`,
  ])
})

const nobody: Record<string, MistakeCase> = {
  'on a row that is no account': [`type P @allow(where: {‹isViewer: true}) { id: ID! u: U } ${account}`, 'P is not U'],
  'behind a reference to something else': [
    `type P @allow(where: {x: {‹isViewer: true}}) { id: ID! x: X } ${account}`,
    'X is not U',
  ],
  'in a value': [
    `type P @allow(where: {v: {‹isViewer: true}}) { id: ID! v: V } type V { x: Int } ${account}`,
    'V is not',
  ],
  'where nobody signs in': ['type P @allow(where: {‹isViewer: true}) { id: ID! }', 'no type has @account'],
  'without a boolean': [`type P @allow(where: {u: {isViewer: ‹1}}) { id: ID! u: U } ${account}`, 'true or false'],
}

for (const [title, mistake] of Object.entries(nobody))
  test(`isViewer ${title} is a mistake`, () => expectMistakes(mistake))

const nested = (levels: number) => `${'{a: '.repeat(levels - 1)}{id: {eq: "x"}}${'}'.repeat(levels - 1)}`
const wide = (fields: number) => `{or: [${'{id: {eq: "x"}}'.repeat(fields)}]}`
const ids = JSON.stringify(Array.from({ length: 500 }, String))

test('a filter of the maximum depth is accepted, and a deeper one is a mistake', () => {
  expectMistakes([`type A @allow(where: ${nested(15)}) { id: ID! a: A }`])
  expectMistakes([`type A @allow(where: ‹${nested(16)}) { id: ID! a: A }`, 'deeper than 16 levels'])
})

test('a filter with too many keys is a mistake; values do not count', () => {
  expectMistakes([`type A @allow(where: ${wide(90)}) { id: ID! }`])
  expectMistakes([`type A @allow(where: ‹${wide(100)}) { id: ID! }`, '201 words'])
  expectMistakes([`type A @allow(where: {id: {in: ${ids}}}) { id: ID! }`])
})

test('a claim is noted with its type, once; JSON may look like one', () => {
  const sdl = `type A @allow(where: {n: {eq: {claim: "a"}}}) @allow(where: {or: [{n: {in: {claim: "a"}}}, {title: {ne: {claim: "b.c"}}}]})
    { id: ID! n: Int @default(value: {claim: "a"}) title: String json: JSON @default(value: {claim: "x"}) to: A @default(value: {claim: "b"}) }`
  const { claims, resources } = loadModel(sdl, 'a.graphql')
  assert.deepEqual(
    claims.map(({ name, type, what }) => [name, 'name' in type && type.name, what]),
    [
      ['a', 'Int', 'A.n'],
      ['b', 'ID', 'A.to'],
      ['b.c', 'String', 'A.title'],
    ],
  )
  const json = resources[0]!.fields.get('json')
  assert.deepEqual(json?.kind === 'stored' && json.default, { claim: 'x' })
})
