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
  'a mistake inside and, or, not': [
    `type A @allow(where: {and: [{not: {or: {‹z: {eq: 1}}}}]}) ${rest}`,
    'A has no field z',
  ],
}

for (const [title, mistake] of Object.entries(wrong)) test(`${title} is a mistake`, () => expectMistakes(mistake))

test('a valid filter becomes plain JSON with values in canonical form', () => {
  const { resources } = loadModel(
    `type A @allow(where: {or: [{n: {in: [1, 2]}}, {title: {startsWith: "a"}}], e: {ne: X}, to: {isNull: false, not: {title: {isNull: false}}},
       bs: {none: {y: {gte: 3}}}, v: {x: {eq: 1}}, tags: {contains: "t"}, at: {lt: "2024-05-01T14:00:00+02:00"}, and: {d: {eq: 1.50}}}) ${rest}`,
    'test.graphql',
  )
  assert.deepEqual(resources[0]!.rules[0]!.where, {
    or: [{ n: { in: [1, 2] } }, { title: { startsWith: 'a' } }],
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
