import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse, print } from 'graphql'
import { loadModel } from '#model'
import { resolveTypeAliases, typeAliasesOf } from './type-aliases.ts'

const load = (sdl: string) => loadModel(sdl, 'a.graphql')

test('without renamed types there are no aliases', () => {
  assert.equal(typeAliasesOf(load('type A { id: ID! }')), null)
})

test('a document with previous names of types and generated types is read with the current ones', () => {
  const aliases = typeAliasesOf(
    load(`type B @was(name: "A") { id: ID! parts: [Part!]! @was(name: "bits") } type Part { id: ID! b: B! e: F }
      enum F @was(name: "E") { X }`),
  )
  const document = parse(
    'query ($i: CreateAInput!, $w: [AWhere!], $e: E, $o: CreateABitsInput) { x { ... on A { id } } } fragment G on AConnection { y }',
  )
  assert.equal(
    print(resolveTypeAliases(document, aliases)),
    print(
      parse(
        'query ($i: CreateBInput!, $w: [BWhere!], $e: F, $o: CreateBPartsInput) { x { ... on B { id } } } fragment G on BConnection { y }',
      ),
    ),
  )
})

test('a name that another type has now means that type', () => {
  const aliases = typeAliasesOf(load('type B @was(name: "A") { id: ID! } type AEdge { id: ID! }'))
  assert.equal(aliases?.has('AEdge'), false)
  assert.equal(aliases?.get('A'), 'B')
})
