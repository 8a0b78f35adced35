import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.ts'

const rest = `{ id: ID! title: String n: Int on: Boolean e: E json: JSON tags: [String!] v: V to: A bs: [B!]! }
  enum E { X } type V { x: Int } type B { id: ID! a: A y: Int }`

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
  'a mistake inside and, or, not': [
    `type A @allow(where: {and: [{not: {or: {‹z: {eq: 1}}}}]}) ${rest}`,
    'A has no field z',
  ],
}

for (const [title, mistake] of Object.entries(wrong)) test(`${title} is a mistake`, () => expectMistakes(mistake))

test('a filter that fits makes sense', () => {
  expectMistakes([
    `type A ‹@allow(where: {or: [{n: {in: [1, 2]}}, {title: {startsWith: "a"}}], e: {ne: X}, to: {isViewer: true, title: {isNull: false}},
       bs: {none: {y: {gte: 3}}}, v: {x: {eq: 1}}, tags: {contains: "t"}}) ${rest}`,
    'not built yet',
  ])
})
