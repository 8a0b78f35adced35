import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '../load-model.ts'
import { SchemaMistakes } from '../mistakes.ts'
import { hiddenTypes } from '../soft-delete.ts'

const load = (sdl: string) => loadModel(sdl, 'schema.graphql')

function mistakesOf(sdl: string): string[] {
  try {
    load(sdl)
    return []
  } catch (error) {
    if (!(error instanceof SchemaMistakes)) throw error
    return error.mistakes.map(({ message }) => message)
  }
}

test('keep is a number and a unit, 30 days by default', () => {
  const keepOf = (use: string) => load(`type Post ${use} { id: ID! }`).resources[0]!.softDelete?.keepSeconds
  assert.equal(keepOf(''), undefined)
  assert.equal(keepOf('@softDelete'), 30 * 86_400)
  assert.equal(keepOf('@softDelete(keep: "1s")'), 1)
  assert.equal(keepOf('@softDelete(keep: "2w")'), 14 * 86_400)
  assert.equal(keepOf('@softDelete(keep: "1y")'), 365 * 86_400)
})

test('mistakes say what to write', () => {
  for (const keep of ['', '0d', '30', 'd', '1.5h', '-1d', '9999999y', 'P3D']) {
    assert.deepEqual(mistakesOf(`type Post @softDelete(keep: "${keep}") { id: ID! }`), [
      `"${keep}" is not a time to keep deleted rows.`,
    ])
  }
  assert.match(mistakesOf('type Post @softDelete { id: ID! deleted: Boolean }')[0]!, /Post\.deleted is taken/)
  const lists = 'type Post { id: ID! restorations: [Restoration!]! } type Restoration { id: ID! post: Post! }'
  assert.match(
    mistakesOf(lists).join(),
    /^Post\.restorations is taken: \/posts\/\{id\}\/restorations belongs to the server\.$/,
  )
})

test('the rows of a type may be hidden with those that it goes along with', () => {
  const { resources } = load(`
    type Post @softDelete { id: ID! author: User }
    type Comment { id: ID! post: Post! @relation(onDelete: CASCADE) }
    type Vote { id: ID! on: Thing! @relation(onDelete: CASCADE) }
    union Thing = Comment | User
    type User { id: ID! }
    type Note { id: ID! post: Post }
  `)
  assert.deepEqual([...hiddenTypes(resources)].map(({ name }) => name).toSorted(), ['Comment', 'Post', 'Vote'])
})
