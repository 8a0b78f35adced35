import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planOrder } from '../build/order.ts'
import { offsetPage } from '../build/page.ts'
import { PlanBuilder } from '../build/plan-builder.ts'
import { planWhere } from '../build/where.ts'
import { abstract, errorOf, fieldOf, resource, stored } from '../library.fixture.ts'
import type { ConnectionSelection, PageRead, RowRead, Selection, SetMember, TypeSelection } from '../plan.ts'
import { countConditions } from './count-conditions.ts'
import { limit, measure } from './limit.ts'
import { defaultLimits } from './limits.ts'

test('the defaults are those of docs/reference/limits.md', () => {
  assert.deepEqual([defaultLimits.depth, defaultLimits.cost, defaultLimits.page], [5, 1000, 100])
})

test('a scalar costs 1 and an object 2; leaves add no depth', () => {
  // book(id) { title pages __typename _version }
  const plan = book(leaf('Book.title'), leaf('Book.pages'), typename, { kind: 'version', key: '_version' })

  assert.deepEqual(measure(plan), { depth: 1, cost: 2 + 4 })
})

test('a row that is written along costs as an object', () => {
  const ids = { index: 0, accepts: { kind: 'ids' } } as const
  const books = { field: fieldOf('Author.books', 'many'), disconnect: null, delete: null, update: [] }
  const write = { kind: 'write', action: 'create', of: resource('Author'), id: null, ifVersion: null } as const
  const cost = (set: SetMember[]) => measure({ ...write, answer: [], set }, [['b1', 'b2', 'b3']]).cost

  assert.equal(cost([]), 2)
  assert.equal(cost([{ ...books, connect: null, create: [[], []] }]), 2 + 2 * 2)
  assert.equal(cost([{ ...books, connect: ids, create: [] }]), 2 + 3 * 2)
})

test('a list multiplies its field and all below by 10', () => {
  // books { title author { name } }
  const plan = list(leaf('Book.title'), author(leaf('Author.name')))

  assert.deepEqual(measure(plan), { depth: 2, cost: 10 * (2 + 1 + (2 + 1)) })
})

test('the total of a list costs as much as that of a connection', () => {
  const plan = list(leaf('Book.title'))
  assert.ok(plan.shape.kind === 'list')

  assert.deepEqual(measure({ ...plan, shape: { ...plan.shape, total: true } }), { depth: 1, cost: 10 * (2 + 1) + 1 })
  assert.deepEqual(measure({ ...plan, distinct: [] }), { depth: 1, cost: 10 * (2 + 1) + 50 }, 'all rows are read')
})

test('lists inside lists multiply each other', () => {
  // books { author { books { title } } }
  const plan = list(author(books(leaf('Book.title'))))

  assert.deepEqual(measure(plan), { depth: 3, cost: 10 * (2 + 2 + 10 * (2 + 1)) })
})

test('edges, node and pageInfo add no depth, but they are objects', () => {
  // booksConnection { edges { cursor node { title } } pageInfo { hasNextPage endCursor } totalCount }
  const plan = connection([
    {
      kind: 'edges',
      key: 'edges',
      selections: [
        { kind: 'cursor', key: 'cursor' },
        { kind: 'node', key: 'node', types: [{ of: resource('Book'), selections: [leaf('Book.title')] }] },
      ],
    },
    {
      kind: 'pageInfo',
      key: 'pageInfo',
      selections: [
        { kind: 'hasNextPage', key: 'hasNextPage' },
        { kind: 'endCursor', key: 'endCursor' },
      ],
    },
    { kind: 'totalCount', key: 'totalCount' },
  ])

  assert.deepEqual(measure(plan), { depth: 1, cost: 2 + 10 * (2 + 1 + (2 + 1)) + (2 + 2) + 1 })
})

test('a list of scalars is a list, and a value is an object', () => {
  const { type } = stored('Book.size')
  const width = type.kind === 'value' ? type.value.fields.get('width')! : assert.fail()
  const size: Selection = {
    kind: 'value',
    key: 'size',
    field: stored('Book.size'),
    selections: [{ kind: 'field', key: 'width', field: width, selections: null }],
  }

  assert.deepEqual(measure(book(leaf('Book.labels'))), { depth: 1, cost: 2 + 10 })
  assert.deepEqual(measure(book(size)), { depth: 2, cost: 2 + (2 + 1) })
  assert.deepEqual(measure(book({ ...size, field: stored('Book.sizes') })), { depth: 2, cost: 2 + 10 * (2 + 1) })
})

test('the id of a referred row is a scalar', () => {
  assert.equal(measure(book({ kind: 'id', key: 'author', field: fieldOf('Book.author', 'reference') })).cost, 2 + 1)
})

test('over an interface the most expensive type counts, since a row has one type', () => {
  const cases: TypeSelection[] = [
    { of: resource('Book'), selections: [leaf('Book.title'), author(leaf('Author.name'))] },
    { of: resource('Film'), selections: [leaf('Film.title')] },
  ]

  assert.deepEqual(measure({ ...list(), of: abstract('Work'), shape: { kind: 'list', types: cases } }), {
    depth: 2,
    cost: 10 * (2 + 1 + (2 + 1)),
  })
})

test('the result of a write is measured like a read', () => {
  const plan = book(leaf('Book.title'), author(leaf('Author.name')))
  const { of, id, selections: answer } = plan

  const write = measure({ kind: 'write', action: 'update', of, id, set: [], ifVersion: null, answer })

  assert.deepEqual(write, measure(plan))
})

test('five levels are allowed and six are not', () => {
  const five = book(author(agent(author(agent(leaf('Agent.name'))))))
  const six = book(author(agent(author(agent(author(leaf('Author.name')))))))

  assert.doesNotThrow(() => limit(five, [], defaultLimits))
  assert.deepEqual(
    codeAndMessage(() => limit(six, [], defaultLimits)),
    ['QUERY_TOO_DEEP', 'The query is 6 levels deep; at most 5 are allowed.'],
  )
})

test('a cost of 1000 is allowed and more is not', () => {
  const scalars = (count: number): Selection[] => Array.from({ length: count }, () => leaf('Book.title'))

  assert.doesNotThrow(() => limit(list(...scalars(98)), [], defaultLimits))
  const error = errorOf(() => limit(list(...scalars(99)), [20], defaultLimits))
  assert.equal(error.code, 'QUERY_TOO_COSTLY')
  assert.equal(error.message, 'The query costs 1010; at most 1000 is allowed.')
  assert.match(
    error.hint ?? '',
    /^Make the page of books smaller: with limit=9 it is within the limit\. .*limits\.cost/,
  )
})

test('the hint names the largest page within the limit, whatever the page costs beside its rows', () => {
  const field = fieldOf('Author.books', 'many')
  const id = { index: 1, accepts: { kind: 'version' } } as const
  const plan: PageRead = { ...list(leaf('Book.title')), within: { id, field } }
  const hintOf = (cost: number) => errorOf(() => limit(plan, [10, 'a'], { ...defaultLimits, cost })).hint ?? ''

  assert.equal(measure(plan, [10, 'a']).cost, 2 + 10 * (2 + 1))
  assert.match(hintOf(28), /with limit=8 it is/)
  assert.match(hintOf(29), /with limit=9 it is/)
  assert.match(hintOf(4), /^Select fewer fields/)
})

test('a list multiplies by its page size, at most by 10 and at least by 1', () => {
  const plan = list(leaf('Book.title'))
  const sizes = [0, 1, 3, 10, 100]
  assert.deepEqual(
    sizes.map((size) => measure(plan, [size]).cost),
    [3, 3, 9, 30, 30],
  )
  const dear = list(...Array.from({ length: 300 }, () => leaf('Book.title')))
  assert.equal(limit(dear, [3], defaultLimits), false, 'other page sizes may be too large')
  assert.throws(() => limit(dear, [4], defaultLimits), { message: /costs 1208;/ })
})

test('0 turns a limit off', () => {
  const dear = list(author(books(author(books(author(books(leaf('Book.title'))))))))

  assert.doesNotThrow(() => limit(dear, [], { ...defaultLimits, depth: 0, cost: 0 }))
})

const typename: Selection = { kind: 'constant', key: '__typename', value: 'Book' }

function leaf(name: string): Selection {
  const field = stored(name)
  return { kind: 'field', key: field.name, field }
}

function author(...selection: Selection[]): Selection {
  return {
    kind: 'one',
    key: 'author',
    field: fieldOf('Book.author', 'reference'),
    types: [{ of: resource('Author'), selections: selection }],
  }
}

function agent(...selection: Selection[]): Selection {
  return {
    kind: 'one',
    key: 'agent',
    field: fieldOf('Author.agent', 'inverse'),
    types: [{ of: resource('Agent'), selections: selection }],
  }
}

function books(...selection: Selection[]): Selection {
  return { kind: 'many', key: 'books', field: fieldOf('Author.books', 'many'), read: list(...selection) }
}

function book(...selection: Selection[]): RowRead {
  const id = new PlanBuilder().parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, 'b1', 'id')
  return { kind: 'one', of: resource('Book'), id, selections: selection }
}

function list(...selection: Selection[]): PageRead {
  const builder = new PlanBuilder()
  const of = resource('Book')
  return {
    kind: 'many',
    of,
    within: null,
    where: null,
    order: planOrder([], of, builder),
    page: offsetPage(20, 0, builder, { limit: 'limit', offset: 'offset' }),
    shape: { kind: 'list', types: [{ of, selections: selection }] },
  }
}

function connection(selection: ConnectionSelection[]): PageRead {
  return { ...list(), shape: { kind: 'connection', selections: selection } }
}

function codeAndMessage(act: () => void): string[] {
  const { code, message } = errorOf(act)
  return [code, message]
}

test('each comparison counts, "and" and "or" do not', () => {
  assert.equal(
    count({ title: { ne: 'a' }, or: [{ pages: { in: [1, 2, 3] } }, { not: { rating: { isNull: true } } }] }),
    3,
  )
})

test('a join counts, with all conditions behind it', () => {
  assert.equal(count({ author: { name: { eq: 'a' }, books: { some: {}, none: { pages: { gt: 1 } } } } }), 1 + 1 + 1 + 2)
})

test('a join to a union counts for each of its types', () => {
  assert.equal(count({ about: { id: { eq: 'a' } } }), 2 * (1 + 1))
})

test('an empty branch counts, since the statement contains it too', () => {
  assert.equal(count({ or: [{}, {}] }), 2)
})

function count(tree: unknown): number {
  return countConditions(planWhere(tree, resource('Book'), new PlanBuilder(), '')!)
}
