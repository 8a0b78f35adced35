import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offsetPage } from '../build/page.ts'
import { Draft } from '../build/plan-builder.ts'
import { abstract, fieldOf, resource, stored } from '../library.fixture.ts'
import type { Many, Pick, Shape } from '../plan.ts'
import { pickedFields } from './selected-fields.ts'

const titleOf = (type: string) => stored(`${type}.title`)
const title = (type: string): Pick => ({ kind: 'field', key: 't', field: titleOf(type) })

function many(of: Many['of'], shape: Shape): Many {
  const page = offsetPage(20, 0, new Draft(), { limit: '', offset: '' })
  return { kind: 'many', of, within: null, where: null, order: [], page, shape }
}

test('a place is found by the keys of the answer, through lists, connections and references', () => {
  const author = fieldOf('Book.author', 'reference')
  const books = fieldOf('Author.books', 'many')
  const list = many(resource('Book'), { kind: 'list', cases: [{ of: resource('Book'), pick: [title('Book')] }] })
  const pick: Pick[] = [
    {
      kind: 'one',
      key: 'by',
      field: author,
      cases: [{ of: resource('Author'), pick: [{ kind: 'many', key: 'all', field: books, read: list }] }],
    },
  ]
  assert.deepEqual(pickedFields(pick, ['by']), [author])
  assert.deepEqual(pickedFields(pick, ['by', 'all', 't']), [titleOf('Book')])
  assert.deepEqual(pickedFields(pick, ['by', 'other']), [])
  const connection = many(resource('Book'), {
    kind: 'connection',
    pick: [{ kind: 'edges', key: 'e', pick: [{ kind: 'node', key: 'n', cases: [{ of: resource('Book'), pick }] }] }],
  })
  assert.deepEqual(pickedFields(connection, ['e', 'n', 'by', 'all', 't']), [titleOf('Book')])
})

test('over an interface each type has its own', () => {
  const cases = ['Book', 'Film'].map((name) => ({ of: resource(name), pick: [title(name)] }))
  const read = many(abstract('Work'), { kind: 'list', cases })
  assert.deepEqual(pickedFields(read, ['t']), [titleOf('Book'), titleOf('Film')])
})
