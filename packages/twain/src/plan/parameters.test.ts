import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderName, writeCursor } from './build/cursor.ts'
import { planInput } from './build/input.ts'
import { planOrder } from './build/order.ts'
import { keysetPage, offsetPage } from './build/page.ts'
import { Draft } from './build/plan-builder.ts'
import { planWhere } from './build/where.ts'
import { fieldOf, resource } from './library.fixture.ts'
import { slotsOf } from './parameters.ts'
import type { Many, One, Pick, Write } from './plan.ts'

const id = { kind: 'type', type: { kind: 'scalar', name: 'ID' } } as const

test('every slot of a page is found: the row it belongs to, filters of all kinds, the page, and all below', () => {
  const draft = new Draft()

  const plan = deepRead(draft)

  assert.deepEqual(
    indexes(slotsOf(plan)),
    draft.leaves.map((_, index) => index),
  )
})

test('a key of a cursor that was null has no slot', () => {
  const draft = new Draft()
  const of = resource('Book')
  const order = planOrder([{ field: 'pages', direction: 'ASC', place: '' }], of, draft)
  const cursor = writeCursor(orderName(of, order), '[null,"b1"]')
  const page = keysetPage(20, cursor, of, order, draft, { first: 'first', after: 'after' })

  const plan: Many = { kind: 'many', of, within: null, where: null, order, page, shape: { kind: 'list', cases: [] } }

  assert.deepEqual(indexes(slotsOf(plan)), [0, 1])
})

test('a write has the slots of its id, its fields, its version and its answer', () => {
  const draft = new Draft()
  const of = resource('Author')
  const plan: Write = {
    kind: 'write',
    action: 'update',
    of,
    id: draft.slot(id, 'a1', 'id'),
    set: planInput({ name: 'Ann', born: null }, of, 'update', draft, '', false),
    ifVersion: draft.slot({ kind: 'version' }, 1, 'ifVersion'),
    answer: [books(draft, [])],
  }

  assert.deepEqual(
    indexes(slotsOf(plan)),
    draft.leaves.map((_, index) => index),
  )
})

test('a plan is walked once', () => {
  const plan = deepRead(new Draft())

  assert.equal(slotsOf(plan), slotsOf(plan))
})

/** author(id) { books(where, limit, offset) { author { books { edges { node { author { books {…} } } } } } } } */
function deepRead(draft: Draft): One {
  const slot = draft.slot(id, 'a1', 'id')
  const inner = books(draft, [])
  const node: Pick = {
    kind: 'many',
    key: 'booksConnection',
    field: fieldOf('Author.books', 'many'),
    read: {
      ...many(draft, []),
      within: { field: fieldOf('Author.books', 'many'), id: draft.slot(id, 'a2', '') },
      shape: {
        kind: 'connection',
        pick: [
          {
            kind: 'edges',
            key: 'edges',
            pick: [{ kind: 'node', key: 'node', cases: [{ of: resource('Book'), pick: [author(inner)] }] }],
          },
          { kind: 'totalCount', key: 'totalCount' },
        ],
      },
    },
  }
  return { kind: 'one', of: resource('Author'), id: slot, pick: [books(draft, [author(node)])] }
}

function author(...pick: Pick[]): Pick {
  return {
    kind: 'one',
    key: 'author',
    field: fieldOf('Book.author', 'reference'),
    cases: [{ of: resource('Author'), pick }],
  }
}

function books(draft: Draft, pick: Pick[]): Pick {
  return { kind: 'many', key: 'books', field: fieldOf('Author.books', 'many'), read: many(draft, pick) }
}

function many(draft: Draft, pick: Pick[]): Many {
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
    where: planWhere(tree, of, draft, 'where'),
    order: planOrder([], of, draft),
    page: offsetPage(20, 0, draft, { limit: 'limit', offset: 'offset' }),
    shape: { kind: 'list', cases: [{ of, pick }] },
  }
}

function indexes(slots: readonly { index: number }[]): number[] {
  return slots.map(({ index }) => index).sort((a, b) => a - b)
}
