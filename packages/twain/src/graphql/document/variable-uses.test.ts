import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'graphql'
import { blog } from '../blog.fixture.ts'
import { rootFieldsOf } from '../schema/root-fields.ts'
import { variableUses } from './variable-uses.ts'

const uses = (text: string) => Object.fromEntries(variableUses(parse(text), rootFieldsOf(blog)))

test('a variable is `written` only if all its uses are in the input of a write', () => {
  const text = `mutation ($a: String, $b: ID!, $c: Int, $d: ID!, $e: Boolean!, $f: ID) {
    createPost(input: {title: $a, author: $d, tags: [$f]}) { id comments(limit: $c) { id @skip(if: $e) } }
    updatePost(id: $b, title: $a) { id }
    deletePost(id: $d) { id }
  }`
  assert.deepEqual(uses(text), { a: 'written', b: 'value', c: 'value', d: 'value', e: 'value', f: 'written' })
})

test('a fragment on Mutation counts as the operation itself', () => {
  const text =
    'mutation ($a: CreatePostInput!) { ...f } fragment f on Mutation { ... { createPost(input: $a) { id } } }'
  assert.deepEqual(uses(text), { a: 'written' })
})

test('a variable in `after` is `shaping`, whatever its other uses are', () => {
  const text =
    '{ postsConnection(after: $a, where: {title: {eq: $a}}) { edges { node { commentsConnection(after: $b) { totalCount } } } } }'
  assert.deepEqual(uses(`query ($a: String, $b: String) ${text}`), { a: 'shaping', b: 'shaping' })
})
