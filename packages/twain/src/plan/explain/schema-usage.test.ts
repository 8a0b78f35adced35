import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel, type Resource } from '#model'
import { defaultSelection } from '../build/default-selection.ts'
import { planInput } from '../build/input.ts'
import { planOrder } from '../build/order.ts'
import { PlanBuilder } from '../build/plan-builder.ts'
import { planWhere } from '../build/where.ts'
import type { PageRead, Selection, Where } from '../plan.ts'
import { fullVisibility } from '../visibility.ts'
import { schemaUsageOf } from './schema-usage.ts'

const model = loadModel(
  `interface Work { id: ID! title: String! author: Author }
   type Book implements Work { id: ID! title: String! author: Author size: Size parts: [Part!]! }
   type Part { id: ID! text: String book: Book! @relation(onDelete: CASCADE) }
   type Film implements Work { id: ID! title: String! author: Author minutes: Int }
   type Author { id: ID! name: String works: [Book!]! @relation(inverse: "author") films: [Film!]! @relation(inverse: "author") }
   type Size { wide: Int frame: Frame }
   type Frame { high: Int }`,
  'test.graphql',
)
const book = model.types.get('Book') as Resource
const author = model.types.get('Author') as Resource
const work = model.abstracts[0]!

test('a default representation names every stored field, and those inside values', () => {
  const builder = new PlanBuilder(fullVisibility)
  const id = builder.parameter({ kind: 'version' }, 1, 'id')
  const named = schemaUsageOf({ kind: 'one', of: book, id, selections: defaultSelection(book, fullVisibility) })
  const inside = ['Size.wide', 'Size.frame', 'Frame.high']
  assert.deepEqual(
    named.selected,
    new Set(
      [...book.fields.keys()]
        .filter((name) => name !== 'parts')
        .map((name) => `Book.${name}`)
        .concat(inside),
    ),
  )
  assert.deepEqual(named.referenced, new Set(['Book']))
})

test('filters and orders are named, through references, lists and values', () => {
  const where = filter(author, { works: { some: { size: { frame: { high: { gt: 1 } } } } }, name: { isNull: true } })
  const { referenced, selected } = schemaUsageOf(many(author, where, [], ['name']))
  const expected = ['Author', 'Author.works', 'Book.size', 'Size.frame', 'Frame.high', 'Author.name', 'Author.id']
  assert.deepEqual(referenced, new Set(expected))
  assert.equal(selected.size, 0)
})

test('over an interface a field is that of the interface and of each member', () => {
  const title = book.fields.get('title')!
  assert.ok(title.kind === 'stored')
  const where = filter(work, { author: { name: { eq: 'Ann' } } })
  const { referenced, selected } = schemaUsageOf(many(work, where, [{ kind: 'field', key: 'title', field: title }]))
  for (const path of ['Work', 'Work.author', 'Book.author', 'Film.author', 'Author.name'])
    assert.ok(referenced.has(path), path)
  assert.deepEqual(selected, new Set(['Book.title', 'Work.title']))
})

test('written fields are referenced, those of nested rows too', () => {
  const builder = new PlanBuilder(fullVisibility)
  const set = planInput({ title: 'A', parts: [{ text: 'One' }] }, book, 'create', builder, '', false)
  const { referenced } = schemaUsageOf({
    kind: 'write',
    action: 'create',
    of: book,
    id: null,
    set,
    ifVersion: null,
    answer: [],
  })
  for (const path of ['Book', 'Book.title', 'Book.parts', 'Part.text']) assert.ok(referenced.has(path), path)
})

function filter(of: PageRead['of'], tree: unknown): Where | null {
  return planWhere(tree, of, new PlanBuilder(fullVisibility), 'where')
}

function many(of: PageRead['of'], where: Where | null, selection: Selection[], sortedBy: string[] = []): PageRead {
  const builder = new PlanBuilder(fullVisibility)
  const limit = builder.parameter({ kind: 'size' }, 1, 'limit')
  const offset = builder.parameter({ kind: 'offset' }, 0, 'offset')
  const shape = { kind: 'list', cases: [{ of: book, selections: selection }] } as const
  return {
    kind: 'many',
    of,
    within: null,
    where,
    order: planOrder(
      sortedBy.map((field) => ({ field, direction: 'ASC', place: 'orderBy' })),
      of,
      builder,
    ),
    page: { kind: 'offset', limit, offset },
    shape: selection.length === 0 ? { kind: 'connection', selections: [] } : { ...shape, types: [...shape.cases] },
  }
}
