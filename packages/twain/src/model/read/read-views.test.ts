import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'
import { loadModel } from '../load-model.ts'
import { selectMistake } from './select-text.ts'

const rest = 'type A @allow { id: ID! n: Int! }'
const view = (fields: string, more = '') =>
  `${rest} type V @allow @view(sqlite: "SELECT 1 AS n", key: ["n"]) ${more} { ${fields} }`

const wrong: Record<string, MistakeCase> = {
  'no SELECT': [`${rest} type V ‹@view(key: ["n"]) { n: Int! }`, 'V has no SELECT'],
  'another statement': [
    `${rest} type V @view(sqlite: ‹"DELETE FROM A", key: ["n"]) { n: Int! }`,
    'begins with "DELETE"',
  ],
  'several statements': [
    `${rest} type V @view(sqlite: ‹"SELECT 1; SELECT 2", key: ["n"]) { n: Int! }`,
    'it has several statements',
  ],
  'an unknown key': [`${rest} type V @view(sqlite: "SELECT 1", key: [‹"m"]) { n: Int! }`, 'V has no field m'],
  'a key that may be null': [
    `${rest} type V @view(sqlite: "SELECT 1", key: [‹"n"]) { n: Int }`,
    "can't be part of the key",
  ],
  'a rule that writes': [
    `${rest} type V @allow(to: [READ, ‹UPDATE]) @view(sqlite: "SELECT 1", key: ["n"]) { n: Int! }`,
    'It can be: to: [READ]',
  ],
  'a directive of writes': [view('n: Int! ‹@default(value: 1)'), 'nothing writes or computes'],
  'an account': [view('n: Int! email: String!', '‹‹@account'), 'V is a view'],
  'a list of rows': [view('n: Int! ‹as: [A!]!'), "a SELECT can't return as"],
  'a value type': [`${view('n: Int! ‹w: W')} type W { x: Int }`, "a SELECT can't return w"],
  'a reference to a view': [`${view('n: Int!')} type B { id: ID! v: ‹V }`, 'V is a view, which nothing can refer to'],
}

for (const [name, mistake] of Object.entries(wrong)) test(`a mistake: ${name}`, () => expectMistakes(mistake))

test('a view is a resource of its own kind, whose id is its key', () => {
  const { resources, views } = loadModel(view('n: Int! a: A'), 'a.graphql')
  assert.deepEqual([resources.map(({ name }) => name), views.map(({ name }) => name)], [['A'], ['V']])
  const [{ fields, view: read, rules }] = views as [(typeof views)[0]]
  assert.deepEqual([...fields.keys()], ['id', 'n', 'a'])
  assert.deepEqual([read?.hasOwnId, read?.key.map(({ name }) => name), rules[0]?.to], [false, ['n'], ['READ']])
})

test('strings, comments and quoted names hide nothing and break nothing', () => {
  for (const text of [
    "SELECT ';' AS a",
    'WITH x AS (SELECT 1) SELECT * FROM x -- ; done',
    'SELECT 1 /* ; ( */ AS n;',
    'SELECT $$;($$ AS n',
    'select ")" from "a;b"',
  ])
    assert.equal(selectMistake(text), null, text)
  for (const text of ['', '-- only', 'SELECT 1)', 'SELECT (1', "SELECT 1; DROP TABLE x --'", 'PRAGMA user_version'])
    assert.notEqual(selectMistake(text), null, text)
})
