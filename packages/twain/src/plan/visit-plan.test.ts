import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldOf, resource, stored } from './library.fixture.ts'
import type { PageRead, Parameter, Selection, Where } from './plan.ts'
import { conditionsIn, someCondition, someSelection, visitPlan, withConditions } from './visit-plan.ts'

const parameter = (index: number): Parameter => ({ index, accepts: { kind: 'size' } })

const titled: Where = {
  kind: 'compare',
  target: { kind: 'target', field: stored('Book.title'), inside: [] },
  op: 'eq',
  parameter: parameter(1),
}
const filter: Where = {
  kind: 'and',
  of: [
    { kind: 'not', of: { kind: 'some', field: fieldOf('Author.books', 'many'), where: titled } },
    { kind: 'constant', is: true },
  ],
}

function page(of: PageRead['of'], selections: Selection[], where: Where | null, first: number): PageRead {
  const types = [{ of: resource(of.name), selections }]
  const edges = { kind: 'edges', key: 'edges', selections: [{ kind: 'node', key: 'node', types }] } as const
  return {
    kind: 'many',
    of,
    within: null,
    where,
    order: [],
    page: { kind: 'keyset', first: parameter(first), after: [null, parameter(first + 1)] },
    shape: {
      kind: 'connection',
      selections: [
        { kind: 'totalCount', key: 'n' },
        { ...edges, selections: [...edges.selections] },
      ],
    },
  }
}

const title: Selection = { kind: 'field', key: 'title', field: stored('Book.title') }
const books = page(resource('Book'), [title], null, 4)
const nested: Selection = { kind: 'many', key: 'books', field: fieldOf('Author.books', 'many'), read: books }
const authors = page(resource('Author'), [nested], filter, 2)

test('a walk meets every part of a plan, parameters in the order of the request', () => {
  const met: string[] = []
  visitPlan(authors, {
    parameter: ({ index }) => met.push(`$${index}`),
    page: ({ of }) => met.push(`page ${of.name}`),
    where: ({ kind }, { name }) => met.push(`${kind} ${name}`),
    type: ({ of }) => met.push(`type ${of.name}`),
    selection: ({ key }, { name }) => met.push(`${name}.${key}`),
  })
  assert.deepEqual(met, [
    'page Author',
    'and Author',
    'not Author',
    'some Author',
    'compare Book',
    '$1',
    'constant Author',
    '$2',
    '$3',
    'type Author',
    'Author.books',
    'page Book',
    '$4',
    '$5',
    'type Book',
    'Book.title',
  ])
})

test('a batch meets its selections once, since its writes share them', () => {
  const met: string[] = []
  const write = {
    kind: 'write',
    action: 'create',
    of: resource('Book'),
    id: null,
    set: [],
    ifVersion: null,
    answer: [title],
  } as const
  const writes = [write, write].map((one) => ({ ...one, set: [], answer: [...one.answer] }))
  visitPlan(
    { kind: 'batch', writes },
    { write: ({ action }) => met.push(action), selection: ({ key }) => met.push(key) },
  )
  assert.deepEqual(met, ['create', 'create', 'title'])
})

test('a condition is found and changed at any depth', () => {
  assert.ok(someCondition(filter, ({ kind }) => kind === 'compare'))
  assert.ok(!someCondition(filter, ({ kind }) => kind === 'search'))
  assert.equal(conditionsIn(filter).length, 2)
  const change = (where: Where): Where =>
    where.kind === 'compare' ? { kind: 'viewer' } : withConditions(where, change)
  assert.ok(someCondition(change(filter), ({ kind }) => kind === 'viewer'))
  assert.ok(!someCondition(change(filter), ({ kind }) => kind === 'compare'))
  assert.ok(
    someCondition(filter, ({ kind }) => kind === 'compare'),
    'the original is unchanged',
  )
})

test('a selection is found behind references and lists', () => {
  assert.ok(someSelection([nested], ({ key }) => key === 'title'))
  assert.ok(!someSelection([nested], ({ kind }) => kind === 'computed'))
})
