import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { rowReader } from './row-reader.ts'

const [of] = loadModel('type Post { id: ID! title: String }', 'x.graphql').resources

test('a member called __proto__ stays in the input, so that it is refused as unknown', () => {
  const reader = rowReader('ndjson', { of: of!, map: new Map(), mistake: () => null })
  const row = reader.read({ line: 1, text: '{"title": "One", "__proto__": 1}' } as never)
  assert.deepEqual(Object.keys((row as unknown as { input: object }).input), ['title', '__proto__'])
})
