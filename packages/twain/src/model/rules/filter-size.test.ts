import { test } from 'node:test'
import { expectMistakes } from '../expect-mistake.fixture.ts'

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
