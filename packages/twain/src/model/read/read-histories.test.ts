import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '../load-model.ts'
import { SchemaMistakes } from '../mistakes.ts'

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

test('keep is a number and a unit, a year by default', () => {
  const keepOf = (use: string) => load(`type Post ${use} { id: ID! }`).resources[0]!.history?.keepSeconds
  assert.equal(keepOf(''), undefined)
  assert.equal(keepOf('@history'), 365 * 86_400)
  assert.equal(keepOf('@history(keep: "90d")'), 90 * 86_400)
})

test('mistakes say what to write', () => {
  assert.deepEqual(mistakesOf('type Post @history(keep: "long") { id: ID! }'), [
    '"long" is not a time to keep changes.',
  ])
  const view =
    'type Sum @history @allow @view(sqlite: "SELECT 1 AS n", postgres: "SELECT 1 AS n", key: ["n"]) { n: Int! }'
  assert.deepEqual(mistakesOf(view), ['Sum is a view, and @history has no meaning on one.'])
})

test('a list below a row can not have the name of a path of the server', () => {
  for (const name of ['changes', 'restorations', 'reversions', 'access', 'export']) {
    const sdl = `type Post { id: ID! ${name}: [Item!]! } type Item { id: ID! post: Post! }`
    assert.deepEqual(mistakesOf(sdl), [`Post.${name} is taken: /posts/{id}/${name} belongs to the server.`])
    const links = `type Post { id: ID! ${name}: [Item!]! } type Item { id: ID! }`
    assert.deepEqual(mistakesOf(links), [`Post.${name} is taken: /posts/{id}/${name} belongs to the server.`])
    assert.deepEqual(mistakesOf(`type Post { id: ID! ${name}: String }`), [])
  }
})
