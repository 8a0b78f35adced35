import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.ts'

const cases: Record<string, MistakeCase> = {
  'an unknown value': ['type A { id: ID! e: E } enum E { DRAFT @next(to: [‹DONNE]) DONE }', 'Did you mean "DONE"'],
  itself: ['type A { id: ID! e: E } enum E { X @next(to: [‹X]) }', "can't follow itself"],
  nothing: ['type A { id: ID! e: E } enum E { X ‹@next(to: []) }', 'moves nowhere'],
  'a value in quotes': ['type A { id: ID! e: E } enum E { X @next(to: [‹"Y"]) Y }', 'without quotes'],
  'an enum that no resource uses': ['type A { id: ID! } enum E { X ‹@next(to: [Y]) Y }', 'nothing moves'],
  'a condition on an unknown field': [
    'type A { id: ID! e: E } enum E { X @next(to: [Y], where: {‹z: {isNull: false}}) Y }',
    'A has no field z',
  ],
  'a path, without an account type': [
    'type A { id: ID! e: E } enum E { X @next(to: [Y], who: ‹"owner") Y }',
    'no type has @account',
  ],
}

for (const [title, mistake] of Object.entries(cases))
  test(`@next to ${title} is a mistake`, () => expectMistakes(mistake))
