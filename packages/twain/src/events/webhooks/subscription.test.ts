import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Problem } from '#base'
import { loadModel } from '#model'
import { changeKindsOf } from './subscription.ts'

test('an event pattern may use the alias of a renamed type', () => {
  const model = loadModel('type Article @was(name: "Post") { id: ID! } type Tag { id: ID! }', 'a.graphql')
  const problems: Problem[] = []
  const kinds = changeKindsOf(['post.created', 'article.deleted', 'tag.*', 'poster.created'], model, problems)
  const names = [...kinds].map(([{ name }, some]) => [name, ...some])
  assert.deepEqual(names, [
    ['Article', 'created', 'deleted'],
    ['Tag', 'created', 'updated', 'deleted'],
  ])
  assert.deepEqual(
    problems.map(({ path }) => path),
    ['events.3'],
  )
})
