import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getLocation, parse } from 'graphql'
import { dropTokens } from './drop-tokens.ts'

test('nodes keep their place in the text, and nothing else of it', () => {
  const document = parse('{\n  posts { id }\n}')

  dropTokens(document)

  const [operation] = document.definitions
  const [posts] = operation!.kind === 'OperationDefinition' ? operation.selectionSet.selections : []
  assert.deepEqual(getLocation(posts!.loc!.source, posts!.loc!.start), { line: 2, column: 3 })
  assert.deepEqual(Object.keys(posts!.loc!), ['start', 'end', 'source'])
})

test('the estimate grows with the nodes', () => {
  const one = dropTokens(parse('{ id }'))
  const many = dropTokens(parse(`{ ${'id '.repeat(1000)} }`))

  assert.ok(one > 500 && one < 2000, String(one))
  assert.ok(many > 200_000 && many < 500_000, String(many))
})
