import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayWrite } from './only-reads.ts'

const post = (body: unknown) => ({ method: 'POST', body: JSON.stringify(body) })

test('a mutation may write, wherever the document has it', () => {
  const documents = [
    'mutation { a }',
    '{ a }\nmutation B { b }',
    '{ a }\r\n\tmutation B { b }',
    '# first\nmutation{b}',
    'query A { a },mutation B { b }',
    '\uFEFFmutation { b }',
  ]
  for (const query of documents) assert.equal(mayWrite('/graphql', post({ query })), true, query)
  assert.equal(mayWrite('/graphql', post({ documentId: 'of a mutation, perhaps' })), true)
})

test('queries and GET only read; other methods of REST may write', () => {
  assert.equal(mayWrite('/graphql', post({ query: '{ mutations { a } }' })), false)
  assert.equal(mayWrite('/graphql', post({ query: '{ a }', variables: { text: 'mutation' } })), false)
  assert.equal(mayWrite('/notes', {}), false)
  for (const method of ['POST', 'PATCH', 'DELETE']) assert.equal(mayWrite('/notes', { method }), true)
})
