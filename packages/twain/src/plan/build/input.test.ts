import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel, type Resource, type ToManyField } from '#model'
import { fieldOf, listProblems, resource, stored } from '../library.fixture.ts'
import { parametersOf } from '../parameters.ts'
import { isRows, isSetField } from '../plan.ts'
import { fullVisibility } from '../visibility.ts'
import { defaultValue, isRequiredInput, planCreates, planInput } from './input.ts'
import { PlanBuilder } from './plan-builder.ts'
import { RequestValue } from './request-value.ts'

const requiredFields = { title: 'Emma', isbn: '1', author: 'a1' }

test('an input becomes a parameter for each field that it names', () => {
  const { sets, builder } = plan(requiredFields, 'create')

  assert.deepEqual(sets, [
    {
      field: stored('Book.title'),
      parameter: { index: 0, accepts: { kind: 'field', field: stored('Book.title'), merge: false } },
    },
    {
      field: stored('Book.isbn'),
      parameter: { index: 1, accepts: { kind: 'field', field: stored('Book.isbn'), merge: false } },
    },
    {
      field: fieldOf('Book.author', 'reference'),
      parameter: { index: 2, accepts: { kind: 'field', field: fieldOf('Book.author', 'reference'), merge: false } },
    },
  ])
  assert.deepEqual(
    [builder.values(), builder.places],
    [
      ['Emma', '1', 'a1'],
      ['title', 'isbn', 'author'],
    ],
  )
})

test('links are written with a list of ids, and may be left out', () => {
  const { sets, builder } = plan({ ...requiredFields, tags: ['t1'] }, 'create')

  assert.deepEqual(builder.problems, [])
  assert.equal(sets[3]?.field, fieldOf('Book.tags', 'links'))
})

test('a create and a replace must name what is required, an update need not', () => {
  const required = ['title REQUIRED', 'isbn REQUIRED', 'author REQUIRED']

  assert.deepEqual(listProblems(plan({}, 'create').builder.problems), required)
  assert.deepEqual(listProblems(plan({}, 'replace').builder.problems), required)
  assert.deepEqual(plan({}, 'update').builder.problems, [])
})

test('a create can choose neither the id nor fields that the server sets', () => {
  const { builder } = plan({ ...requiredFields, id: 'b1', createdAt: '2026-01-01T00:00:00Z' }, 'create')

  assert.deepEqual(listProblems(builder.problems), ['id READONLY', 'createdAt READONLY'])
})

test('a row that was read can be sent back: an update and a replace may name fields that they can not change', () => {
  const read = { ...requiredFields, id: 'b1', createdAt: '2026-01-01T00:00:00Z' }

  assert.deepEqual(plan(read, 'replace').builder.problems, [])
  assert.deepEqual(plan(read, 'update').sets.length, 5)
})

test('the other side of a reference can not be written', () => {
  for (const action of ['replace', 'update'] as const) {
    const builder = new PlanBuilder()
    planInput({ name: 'Ann', books: [], agent: 'g1' }, resource('Author'), action, builder, '', false)

    assert.deepEqual(listProblems(builder.problems), ['books READONLY', 'agent READONLY'])
    assert.match(
      builder.problems[0]!.message,
      /can only be set by a create; write Book\.author, or change the list with _books\./,
    )
    assert.match(builder.problems[1]!.message, /the other side of/)
  }
})

test('an unknown field is reported with a suggestion, beside all other mistakes', () => {
  const { builder } = plan({ titel: 'Emma', isbn: '1', author: 'a1', __typename: 'Book' }, 'create', 'input')

  assert.deepEqual(listProblems(builder.problems), [
    'input.titel UNKNOWN',
    'input.__typename UNKNOWN',
    'input.title REQUIRED',
  ])
  assert.match(builder.problems[0]!.message, /Did you mean "title"\?/)
})

test('an input must be an object', () => {
  for (const tree of [null, undefined, 'x', 5, [requiredFields], new RequestValue(null, () => null)]) {
    assert.deepEqual(listProblems(plan(tree, 'update', 'input').builder.problems), ['input TYPE'])
  }
})

test('an undefined member counts as left out', () => {
  assert.deepEqual(plan({ title: undefined }, 'update').sets, [])
})

test('each parameter of a merge is marked as merge', () => {
  const builder = new PlanBuilder()

  const [set] = planInput({ size: { width: 2 } }, resource('Book'), 'update', builder, '', true)

  assert.ok(set !== undefined && isSetField(set))
  assert.deepEqual(set.parameter.accepts, { kind: 'field', field: stored('Book.size'), merge: true })
})

test('a create must name a required field that nothing else fills', () => {
  const names = [...resource('Book').fields.values()].filter(isRequiredInput).map(({ name }) => name)

  assert.deepEqual(names, ['title', 'isbn', 'author'])
})

function plan(tree: unknown, action: 'create' | 'replace' | 'update', place = '') {
  const builder = new PlanBuilder()
  return { sets: planInput(tree, resource('Book'), action, builder, place, false), builder }
}

test('rows of an owned list are planned as creates of their own, without the reference back, all mistakes at once', () => {
  const { fields } = loadModel(
    `
    type Order { id: ID! lines: [Line!]! notes: [Note!]! }
    type Line { id: ID! what: String! order: Order! parts: [Part!]! }
    type Part { id: ID! name: String! line: Line! }
    type Note { id: ID! order: Order }
    `,
    'orders.graphql',
  ).types.get('Order') as Resource
  const of = (fields.get('lines') as ToManyField).via.to as Resource
  const made = (input: unknown, action: 'create' | 'update' = 'create') => {
    const builder = new PlanBuilder()
    return { sets: planInput(input, of, action, builder, '', false), builder }
  }

  const { sets, builder } = made({ lines: [{ what: 'a' }, { what: 'b', parts: [{ name: 'c' }] }] })
  assert.deepEqual(builder.problems, [])
  assert.deepEqual(builder.places, ['lines.0.what', 'lines.1.what', 'lines.1.parts.0.name'])
  const [lines] = sets
  assert.ok(lines !== undefined && isRows(lines))
  assert.deepEqual([lines.field.name, lines.rows.length], ['lines', 2])

  const wrong = made({ lines: [{ order: 'o1' }, 5, { what: 'x', parts: [{ nmae: 1 }] }], notes: [{}] })
  assert.deepEqual(listProblems(wrong.builder.problems), [
    'lines.0.order READONLY',
    'lines.0.what REQUIRED',
    'lines.1 TYPE',
    'lines.2.parts.0.nmae UNKNOWN',
    'lines.2.parts.0.name REQUIRED',
    'notes READONLY',
  ])
  assert.deepEqual(listProblems(made({ lines: {} }).builder.problems), ['lines TYPE'])
  assert.deepEqual(listProblems(made({ lines: new Array(101).fill({ what: 'x' }) }).builder.problems), ['lines LENGTH'])
  assert.deepEqual(listProblems(made({ lines: [] }, 'update').builder.problems), ['lines READONLY'])
})

const [post] = loadModel('type Post { id: ID! title: String! }', 'x.graphql').resources

test('each row is a write of its own, with the number of the row in its places', () => {
  const builder = new PlanBuilder()
  const batch = planCreates([{ title: 'a' }, { title: 'b' }], post!, [], builder, '', 0)
  assert.deepEqual(
    [builder.values(), builder.places, parametersOf(batch).length],
    [['a', 'b'], ['0.title', '1.title'], 2],
  )
})

test('the mistakes of all rows are reported at once', () => {
  const builder = new PlanBuilder()
  planCreates([{}, 7, { titel: 'x', title: 'y' }], post!, [], builder, '', 0)
  assert.deepEqual(
    builder.problems.map(({ path, code }) => `${path} ${code}`),
    ['0.title REQUIRED', '1 TYPE', '2.titel UNKNOWN'],
  )
})

test('no rows, or more than a list may have, are rejected', () => {
  const plan = (count: number, maxRows: number) => {
    const builder = new PlanBuilder()
    const rows = Array.from({ length: count }, () => ({ title: 'x' }))
    planCreates(rows, post!, [], builder, 'inputs', maxRows)
    return builder.problems.map(({ path, code }) => `${path} ${code}`)
  }
  assert.deepEqual(plan(0, 100), ['inputs LENGTH'])
  assert.deepEqual(plan(101, 0), [])
  assert.deepEqual(plan(101, 101), [])
  assert.throws(() => plan(101, 100), { code: 'PAYLOAD_TOO_LARGE' })
})

test('nested rows have a limit of their own, and count together', () => {
  const [owner] = loadModel(
    'type Post { id: ID! parts: [Part!]! } type Part { id: ID! post: Post! }',
    'x.graphql',
  ).resources
  const builder = new PlanBuilder(fullVisibility, undefined, 1)
  planCreates([{ parts: [{}] }, { parts: [{}] }], owner!, [], builder, 'inputs', 2)
  assert.deepEqual(
    builder.problems.map(({ path, code }) => `${path} ${code}`),
    ['1.parts LENGTH'],
  )
})

test('a default is canonical, however the file writes it', () => {
  assert.equal(defaultValue(stored('Book.published')), '2026-01-31T08:30:00.000Z')
  assert.equal(defaultValue(stored('Book.genre')), 'NOVEL')
})

test('a field without a default starts as null', () => {
  assert.equal(defaultValue(stored('Book.pages')), null)
})

test('a default of a value type has the defaults of its members', () => {
  const field = { ...stored('Book.size'), default: { width: 3 } }

  const value = defaultValue(field)

  assert.deepEqual(value, { width: 3, height: 1, unit: null, note: null })
  assert.equal(defaultValue(field), value)
})
