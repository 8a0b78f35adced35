import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorsOf } from '#model'
import { abstract, listProblems, resource, stored } from '../library.fixture.ts'
import type { ComparedField, Where } from '../plan.ts'
import { printWhere } from '../print-where.fixture.ts'
import { fullVisibility } from '../visibility.ts'
import { PlanBuilder } from './plan-builder.ts'
import { RequestValue } from './request-value.ts'
import { planWhere, targetType } from './where.ts'

const title: ComparedField = { kind: 'target', field: stored('Book.title'), inside: [] }
const anything: Where = { kind: 'constant', is: true }

test('a condition is a comparison whose value is a parameter', () => {
  const { where, builder } = plan({ title: { eq: 'Emma' } })

  const parameter = { index: 0, accepts: { kind: 'type', type: title.field.type } }
  assert.deepEqual(where, { kind: 'compare', target: title, op: 'eq', parameter: parameter })
  assert.deepEqual(builder.values(), ['Emma'])
  assert.deepEqual(builder.places, ['where.title.eq'])
})

test('conditions side by side must all hold', () => {
  const { where } = plan({ title: { startsWith: 'E', ne: 'Emma' }, pages: { gt: 100 } })

  assert.equal(printWhere(where), '((title startsWith & title ne) & pages gt)')
})

function printedOperator(name: string, op: string): string {
  if (op === 'isNull') return `${name} null`
  return op === 'between' ? `(${name} gte & ${name} lte)` : `${name} ${op}`
}

test('every operator of every stored field is planned', () => {
  for (const field of resource('Book').fields.values()) {
    if (field.kind !== 'stored' || field.type.kind === 'value') continue
    for (const op of operatorsOf(field.type)) {
      const { where, problems } = plan({ [field.name]: { [op]: op === 'isNull' ? true : ['x', 'y'] } })
      assert.deepEqual(problems, [])
      assert.equal(printWhere(where), printedOperator(field.name, op))
    }
  }
})

test('in and notIn take lists, and contains on a list takes an item', () => {
  const { builder, where } = plan({ pages: { in: [1, 2], notIn: [3] }, labels: { contains: 'a' } })

  assert.equal(printWhere(where), '((pages in & pages notIn) & labels contains)')
  assert.deepEqual(builder.values(), [[1, 2], [3], 'a'])
  assert.deepEqual(fitsOf(plan({ pages: { in: [1] } }).where), { kind: 'types', type: stored('Book.pages').type })
  assert.deepEqual(fitsOf(plan({ labels: { contains: 'a' } }).where), {
    kind: 'type',
    type: { kind: 'scalar', name: 'String' },
  })
})

test('and, or and not nest', () => {
  const { where } = plan({
    or: [{ title: { eq: 'a' } }, { not: { and: [{ pages: { lt: 1 } }, { rating: { gt: 2 } }] } }],
  })

  assert.equal(printWhere(where), '(title eq | !(pages lt & rating gt))')
})

test('an empty filter has no condition', () => {
  for (const tree of [undefined, null, {}, { title: {} }, { author: {} }, { title: undefined }]) {
    assert.deepEqual([plan(tree).where, plan(tree).problems], [null, []])
  }
})

test('an empty "and" holds for every row, an empty "or" for none', () => {
  assert.deepEqual(plan({ and: [] }).where, anything)
  assert.deepEqual(plan({ or: [] }).where, { kind: 'constant', is: false })
  assert.deepEqual(plan({ not: {} }).where, { kind: 'not', of: anything })
})

test('an empty branch of "or" still holds for every row', () => {
  assert.equal(printWhere(plan({ or: [{}, { title: { eq: 'a' } }] }).where), '(true | title eq)')
})

test('a reference is followed, also to the other side of a one-to-one', () => {
  const { where } = plan({ author: { name: { eq: 'Ann' }, agent: { name: { eq: 'Bob' } } } })

  assert.equal(printWhere(where), 'author→(name eq & agent→name eq)')
})

test('a filter can combine isNull of a reference with conditions on its row', () => {
  assert.equal(printWhere(plan({ editor: { isNull: true } }).where), 'editor null')
  assert.equal(
    printWhere(plan({ editor: { isNull: false, name: { eq: 'A' } } }).where),
    '(editor set & editor→name eq)',
  )
})

test('isNull inside "or" of a reference is rejected, and the message shows where it belongs', () => {
  const { problems } = plan({ editor: { or: [{ isNull: true }, { name: { eq: 'A' } }] } })

  assert.deepEqual(listProblems(problems), ['where.editor.or.0.isNull UNKNOWN'])
  assert.match(problems[0]!.message, /put \{"editor": \{"isNull": …\}\} there/)
})

test('lists are filtered with some and none, together or alone', () => {
  const { where } = plan({ tags: { some: { name: { eq: 'a' } }, none: {} } })

  assert.equal(printWhere(where), '(some tags(name eq) & none tags())')
})

test('a member of a value is reached through the value', () => {
  const { where } = plan({ size: { unit: { factor: { gt: '1' } }, or: [{ isNull: true }, { width: { eq: 1 } }] } })

  assert.equal(printWhere(where), '(size.unit.factor gt & (size null | size.width eq))')
  assert.deepEqual(fitsOf(plan({ size: { unit: { factor: { gt: '1' } } } }).where), {
    kind: 'type',
    type: { kind: 'scalar', name: 'Decimal' },
  })
})

test('over an interface or a union the shared fields can be filtered', () => {
  assert.equal(printWhere(plan({ title: { eq: 'a' } }, abstract('Work')).where), 'title eq')
  assert.equal(printWhere(plan({ about: { id: { eq: 'a' } } }).where), 'about→id eq')
  assert.deepEqual(listProblems(plan({ pages: { eq: 1 } }, abstract('Work')).problems), ['where.pages UNKNOWN'])
})

test('a row that exists is never null', () => {
  assert.deepEqual(plan({ isNull: true }).where, { kind: 'constant', is: false })
})

test('unknown names are reported with suggestions, all at once', () => {
  const { problems } = plan({
    titel: { eq: 'a' },
    title: { equals: 'a', startWith: 'b' },
    author: { nmae: { eq: 'a' } },
    tags: { sone: {} },
    size: { widht: { eq: 1 } },
  })

  assert.deepEqual(
    problems.map(({ path, code, message }) => [path, code, /Did you mean (.*)\?/.exec(message)?.[1]]),
    [
      ['where.titel', 'UNKNOWN', '"title"'],
      ['where.title.equals', 'UNKNOWN', undefined],
      ['where.title.startWith', 'UNKNOWN', '"startsWith"'],
      ['where.author.nmae', 'UNKNOWN', '"name"'],
      ['where.tags.sone', 'UNKNOWN', '"none" or "some"'],
      ['where.size.widht', 'UNKNOWN', '"width"'],
    ],
  )
  assert.match(problems[1]!.message, /there are eq, ne, in, notIn/)
})

test('names that every object has are no fields', () => {
  const tree: unknown = JSON.parse('{"__proto__": {"eq": 1}, "constructor": {"eq": 1}, "title": {"toString": 1}}')

  assert.deepEqual(listProblems(plan(tree).problems), [
    'where.__proto__ UNKNOWN',
    'where.constructor UNKNOWN',
    'where.title.toString UNKNOWN',
  ])
})

test('an operator that the type does not have is rejected', () => {
  assert.deepEqual(listProblems(plan({ inPrint: { gt: true }, notes: { eq: {} }, pages: { contains: 1 } }).problems), [
    'where.inPrint.gt UNKNOWN',
    'where.notes.eq UNKNOWN',
    'where.pages.contains UNKNOWN',
  ])
})

test('a null inside a filter is never ignored', () => {
  const trees = [
    { title: null },
    { title: { eq: null } },
    { title: { eq: new RequestValue(null, () => null) } },
    { size: null },
    { size: { width: null } },
    { author: null },
    { tags: null },
    { tags: { some: null } },
    { not: null },
    { or: [null] },
    { title: { isNull: null } },
  ]
  for (const tree of trees) {
    const { problems } = plan(tree)
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['TYPE'],
      JSON.stringify(tree),
    )
  }
})

test('a wrong shape is reported at its place', () => {
  assert.deepEqual(listProblems(plan('x').problems), ['where TYPE'])
  assert.deepEqual(
    listProblems(
      plan({ title: 'x', author: 'u1', tags: [], and: ['x'], size: 3, inPrint: { isNull: 'yes' } }).problems,
    ),
    [
      'where.title TYPE',
      'where.author TYPE',
      'where.tags TYPE',
      'where.and.0 TYPE',
      'where.size TYPE',
      'where.inPrint.isNull TYPE',
    ],
  )
})

test('a filter without a name of its own is placed by its members', () => {
  const builder = new PlanBuilder()
  planWhere({ titel: {} }, resource('Book'), builder, '')

  assert.deepEqual(listProblems(builder.problems), ['titel UNKNOWN'])
})

test('a value of the request keeps its source', () => {
  const leaf = new RequestValue('Emma', () => 'Persuasion')
  const { builder } = plan({ title: { eq: leaf } })

  assert.deepEqual(builder.requestValues, [leaf])
  assert.deepEqual(builder.values(), ['Emma'])
})

test('a filter is nested at most 16 levels, whatever they are', () => {
  const nots = (levels: number): unknown => (levels === 0 ? {} : { not: nots(levels - 1) })
  const roads = (levels: number): unknown => (levels === 0 ? {} : { author: { books: { some: roads(levels - 2) } } })

  assert.deepEqual(plan(nots(16)).problems, [])
  assert.deepEqual(plan(roads(16)).problems, [])
  assert.match(plan(nots(17)).problems[0]!.message, /nested deeper than 16 levels/)
  assert.match(plan(roads(18)).problems[0]!.message, /nested deeper than 16 levels/)
  assert.equal(plan(nots(5000)).problems.length, 1)
})

test('a filter has at most 200 conditions, and a list of values is one', () => {
  const many = (count: number, branch: unknown) => ({ or: Array.from({ length: count }, () => branch) })

  assert.deepEqual(plan(many(200, { pages: { eq: 1 } })).problems, [])
  assert.deepEqual(plan({ pages: { in: Array.from({ length: 1000 }, (_, page) => page) } }).problems, [])
  for (const branch of [{ pages: { eq: 1 } }, { not: { pages: { isNull: true } } }, {}, { tags: { some: {} } }]) {
    assert.deepEqual(listProblems(plan(many(201, branch)).problems), ['where RANGE'])
  }
})

test('conditions beyond that are not read', () => {
  const { builder } = plan({ or: Array.from({ length: 100_000 }, () => ({ pages: { eq: 1 } })) })
  assert.ok(builder.places.length <= 201)
})

test('all filters of a request have at most 400 conditions together, and one too many is reported', () => {
  const filters = { conditions: 0 }
  const refused = [150, 150, 150, 1].map((length) => {
    const builder = new PlanBuilder(fullVisibility, filters)
    planWhere({ or: Array.from({ length }, () => ({ pages: { eq: 1 } })) }, resource('Book'), builder, 'where')
    planWhere(null, resource('Book'), builder, 'where')
    return listProblems(builder.problems)
  })
  assert.deepEqual(refused, [[], [], ['where RANGE'], ['where RANGE']])
})

test('the type of a target is that of its last member', () => {
  const { where } = plan({ size: { unit: { factor: { eq: '1' } } } })

  assert.equal(where?.kind, 'compare')
  assert.deepEqual(where?.kind === 'compare' && targetType(where.target), { kind: 'scalar', name: 'Decimal' })
  assert.equal(targetType(title), title.field.type)
})

function plan(tree: unknown, of: Parameters<typeof planWhere>[1] = resource('Book')) {
  const builder = new PlanBuilder()
  const where = planWhere(tree, of, builder, 'where')
  return { where, builder, problems: builder.problems }
}

function fitsOf(where: Where | null): unknown {
  return where?.kind === 'compare' && 'accepts' in where.parameter ? where.parameter.accepts : undefined
}
