import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectMistakes } from '../expect-mistake.fixture.ts'
import { loadModel } from '../load-model.ts'
import { writesOf } from '../writes-of.ts'
import { reservedPaths, reservedTypes } from './reserved-names.ts'
import { servedResources } from './system-types.ts'

const model = loadModel('type Post { id: ID! title: String! }', 'x.graphql')

test('types of the server itself are beside those of the file, and served with them', () => {
  assert.deepEqual(
    model.resources.map(({ name }) => name),
    ['Post'],
  )
  assert.equal(model.types.has('BackgroundJob'), false)
  assert.deepEqual(
    servedResources(model).map(({ name, path }) => [name, path]),
    [['Post', 'posts'], ...model.system.resources.map(({ name, path }) => [name, path])],
  )
})

test('their rules name the writes that they have', () => {
  const [post, job] = servedResources(model)
  assert.deepEqual(writesOf(post!), ['create', 'replace', 'update', 'delete'])
  assert.deepEqual(writesOf(job!), ['update'])
})

test('a file that uses one of their names is told another one', () => {
  for (const name of model.system.resources.map((resource) => resource.name)) assert.ok(reservedTypes().includes(name))
  assert.ok(reservedPaths().includes('background-jobs'))
  expectMistakes([
    'type ‹BackgroundJob { id: ID! } type P @resource(path: ‹"background-jobs") { id: ID! }',
    'BackgroundJob is a type of the server itself. = Use another name, such as OwnBackgroundJob.',
    '/background-jobs is a path of the server itself',
  ])
})
