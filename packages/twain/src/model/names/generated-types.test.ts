import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '../load-model.ts'
import { generatedTypes } from './generated-types.ts'

test('each type of the file has its generated types', () => {
  const model = loadModel(
    'type Post { id: ID! v: V k: K u: Url } type V { x: Int } enum K { A } scalar Url union U = Post',
    'a.graphql',
  )
  const made = Map.groupBy(generatedTypes(model), ({ generatedFor }) => generatedFor?.name)
  const namesFor = (name: string) => made.get(name)?.map((type) => type.name)
  assert.deepEqual(namesFor('Post'), [
    'PostWhere',
    'PostListWhere',
    'PostOrder',
    'PostListOrder',
    'PostConnection',
    'PostEdge',
    'PostDistinctField',
    'PostAggregate',
    'PostAggregateDistinct',
    'PostGroup',
    'PostGroupKey',
    'PostGroupBy',
    'PostHaving',
    'PostGroupedOrder',
    'PostHavingDistinct',
    'PostMeasureOrder',
    'CreatePostInput',
    'UpdatePostInput',
    'PostChanged',
    'PostDeleted',
  ])
  assert.deepEqual(namesFor('U'), [
    'UWhere',
    'UListWhere',
    'UOrder',
    'UListOrder',
    'UConnection',
    'UEdge',
    'UDistinctField',
    'UAggregate',
    'UAggregateDistinct',
    'UGroup',
    'UGroupKey',
    'UGroupBy',
    'UHaving',
    'UGroupedOrder',
    'UHavingDistinct',
    'UMeasureOrder',
    'UTypename',
    'UTypenameFilter',
  ])
  assert.deepEqual(namesFor('V'), ['VInput', 'VWhere'])
  assert.deepEqual(namesFor('K'), ['KFilter', 'KListFilter'])
  assert.deepEqual(namesFor('Url'), ['UrlFilter', 'UrlListFilter'])
})
