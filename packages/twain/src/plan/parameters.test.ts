import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderName, writeCursor } from './build/cursor.ts'
import { planInput } from './build/input.ts'
import { planOrder } from './build/order.ts'
import { keysetPage, offsetPage } from './build/page.ts'
import { PlanBuilder } from './build/plan-builder.ts'
import { planWhere } from './build/where.ts'
import { fieldOf, resource } from './library.fixture.ts'
import { parametersOf } from './parameters.ts'
import type { PageRead, RowRead, Selection, WritePlan } from './plan.ts'

const id = { kind: 'type', type: { kind: 'scalar', name: 'ID' } } as const

test('every parameter of a page is found: its owner, filters of all kinds, the page bounds, and all nested ones', () => {
  const builder = new PlanBuilder()

  const plan = deepRead(builder)

  assert.deepEqual(
    indexes(parametersOf(plan)),
    builder.requestValues.map((_, index) => index),
  )
})

test('a null key of a cursor has no parameter', () => {
  const builder = new PlanBuilder()
  const of = resource('Book')
  const order = planOrder([{ field: 'pages', direction: 'ASC', place: '' }], of, builder)
  const cursor = writeCursor(orderName(of, order), '[null,"b1"]')
  const page = keysetPage(20, cursor, of, order, builder, { first: 'first', after: 'after' })

  const plan: PageRead = {
    kind: 'many',
    of,
    within: null,
    where: null,
    order,
    page,
    shape: { kind: 'list', types: [] },
  }

  assert.deepEqual(indexes(parametersOf(plan)), [0, 1])
})

test('a write has the parameters of its id, its fields, its version and its answer', () => {
  const builder = new PlanBuilder()
  const of = resource('Author')
  const plan: WritePlan = {
    kind: 'write',
    action: 'update',
    of,
    id: builder.parameter(id, 'a1', 'id'),
    set: planInput({ name: 'Ann', born: null }, of, 'update', builder, '', false),
    ifVersion: builder.parameter({ kind: 'version' }, 1, 'ifVersion'),
    answer: [books(builder, [])],
  }

  assert.deepEqual(
    indexes(parametersOf(plan)),
    builder.requestValues.map((_, index) => index),
  )
})

test('each plan is walked once', () => {
  const plan = deepRead(new PlanBuilder())

  assert.equal(parametersOf(plan), parametersOf(plan))
})

/** author(id) { books(where, limit, offset) { author { books { edges { node { author { books {…} } } } } } } } */
function deepRead(builder: PlanBuilder): RowRead {
  const parameter = builder.parameter(id, 'a1', 'id')
  const inner = books(builder, [])
  const node: Selection = {
    kind: 'many',
    key: 'booksConnection',
    field: fieldOf('Author.books', 'many'),
    read: {
      ...many(builder, []),
      within: { field: fieldOf('Author.books', 'many'), id: builder.parameter(id, 'a2', '') },
      shape: {
        kind: 'connection',
        selections: [
          {
            kind: 'edges',
            key: 'edges',
            selections: [{ kind: 'node', key: 'node', types: [{ of: resource('Book'), selections: [author(inner)] }] }],
          },
          { kind: 'totalCount', key: 'totalCount' },
        ],
      },
    },
  }
  return { kind: 'one', of: resource('Author'), id: parameter, selections: [books(builder, [author(node)])] }
}

function author(...selection: Selection[]): Selection {
  return {
    kind: 'one',
    key: 'author',
    field: fieldOf('Book.author', 'reference'),
    types: [{ of: resource('Author'), selections: selection }],
  }
}

function books(builder: PlanBuilder, selection: Selection[]): Selection {
  return { kind: 'many', key: 'books', field: fieldOf('Author.books', 'many'), read: many(builder, selection) }
}

function many(builder: PlanBuilder, selection: Selection[]): PageRead {
  const of = resource('Book')
  const tree = {
    or: [{ title: { eq: 'a' } }, { not: { pages: { in: [1] } } }],
    author: { name: { eq: 'b' } },
    tags: { some: { name: { eq: 'c' } }, none: {} },
    editor: { isNull: true },
  }
  return {
    kind: 'many',
    of,
    within: null,
    where: planWhere(tree, of, builder, 'where'),
    order: planOrder([], of, builder),
    page: offsetPage(20, 0, builder, { limit: 'limit', offset: 'offset' }),
    shape: { kind: 'list', types: [{ of, selections: selection }] },
  }
}

function indexes(parameters: readonly { index: number }[]): number[] {
  return parameters.map(({ index }) => index).sort((a, b) => a - b)
}
