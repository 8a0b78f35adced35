import assert from 'node:assert/strict'
import { test } from 'node:test'
import { abstract, fieldOf, resource, stored } from '#library'
import type { PageRead, Selection } from '#plan'
import { offsetPage, PlanBuilder } from '#plan/build'
import { selectedFields } from './selected-fields.ts'

const titleOf = (type: string) => stored(`${type}.title`)
const title = (type: string): Selection => ({ kind: 'field', key: 't', field: titleOf(type) })

function many(of: PageRead['of'], shape: PageRead['shape']): PageRead {
  const page = offsetPage(20, 0, new PlanBuilder(), { limit: '', offset: '' })
  return { kind: 'many', of, within: null, where: null, order: [], page, shape }
}

test('a field is found by response keys, through lists, connections and references', () => {
  const author = fieldOf('Book.author', 'reference')
  const books = fieldOf('Author.books', 'many')
  const list = many(resource('Book'), { kind: 'list', types: [{ of: resource('Book'), selections: [title('Book')] }] })
  const selection: Selection[] = [
    {
      kind: 'one',
      key: 'by',
      field: author,
      types: [{ of: resource('Author'), selections: [{ kind: 'many', key: 'all', field: books, read: list }] }],
    },
  ]
  assert.deepEqual(selectedFields(selection, ['by']), [author])
  assert.deepEqual(selectedFields(selection, ['by', 'all', 't']), [titleOf('Book')])
  assert.deepEqual(selectedFields(selection, ['by', 'other']), [])
  const connection = many(resource('Book'), {
    kind: 'connection',
    selections: [
      {
        kind: 'edges',
        key: 'e',
        selections: [{ kind: 'node', key: 'n', types: [{ of: resource('Book'), selections: selection }] }],
      },
    ],
  })
  assert.deepEqual(selectedFields(connection, ['e', 'n', 'by', 'all', 't']), [titleOf('Book')])
})

test('over an interface the result has a field of each type', () => {
  const cases = ['Book', 'Film'].map((name) => ({ of: resource(name), selections: [title(name)] }))
  const read = many(abstract('Work'), { kind: 'list', types: cases })
  assert.deepEqual(selectedFields(read, ['t']), [titleOf('Book'), titleOf('Film')])
})
