import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FragmentDefinitionNode, Kind, type OperationDefinitionNode, parse } from 'graphql'
import { collectFields, subselections } from './selection.ts'

function collect(text: string, types: string[], variables = {}) {
  const { definitions } = parse(text)
  const fragments = new Map(
    definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as [string, FragmentDefinitionNode]] : [],
    ),
  )
  const { selectionSet } = definitions[0] as OperationDefinitionNode
  return collectFields([selectionSet], (type) => types.includes(type), fragments, variables)
}

const keys = (...args: Parameters<typeof collect>) => collect(...args).map(({ key }) => key)

test('fields have the order of the first use of their key, and equal keys are merged', () => {
  const fields = collect('{ b: x { p } a ...f b: x { q } } fragment f on T { c a }', ['T'])
  assert.deepEqual(
    fields.map(({ key, name }) => `${key}: ${name}`),
    ['b: x', 'a: a', 'c: c'],
  )
  assert.equal(subselections(fields[0]!).length, 2)
})

test('fragments on other types are ignored', () => {
  assert.deepEqual(keys('{ ... on T { a } ... on U { b } ... { c } ...f } fragment f on U { d }', ['T']), ['a', 'c'])
})

test('@skip and @include take literals and variables, and both must include the field', () => {
  const text =
    '{ a @skip(if: $yes) b @include(if: $yes) c @include(if: false) ... @skip(if: true) { d } e @include(if: true) @skip(if: $yes) }'
  assert.deepEqual(keys(text, [], { yes: true }), ['b'])
  assert.deepEqual(keys(text, [], { yes: false }), ['a', 'e'])
})

test('a null flag of @skip or @include is an error', () => {
  assert.throws(() => keys('{ a @include(if: $flag) }', [], { flag: null }), { code: 'VALIDATION_FAILED' })
})
