import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse, print } from 'graphql'
import { loadModel } from '#model'
import { resolveTypeAliases, typeAliasesOf } from './type-aliases.ts'

const load = (sdl: string) => loadModel(sdl, 'a.graphql')

test('where nothing had another name nothing is looked for', () => {
  assert.equal(typeAliasesOf(load('type A { id: ID! }')), null)
})

test('a document in former names of types, and of all that is made for them, is read in present ones', () => {
  const former = typeAliasesOf(
    load(`type B @was(name: "A") { id: ID! parts: [Part!]! @was(name: "bits") } type Part { id: ID! b: B! e: F }
      enum F @was(name: "E") { X }`),
  )
  const document = parse(
    'query ($i: CreateAInput!, $w: [AWhere!], $e: E, $o: CreateABitsInput) { x { ... on A { id } } } fragment G on AConnection { y }',
  )
  assert.equal(
    print(resolveTypeAliases(document, former)),
    print(
      parse(
        'query ($i: CreateBInput!, $w: [BWhere!], $e: F, $o: CreateBPartsInput) { x { ... on B { id } } } fragment G on BConnection { y }',
      ),
    ),
  )
})

test('a name that means something else by now is that', () => {
  const former = typeAliasesOf(load('type B @was(name: "A") { id: ID! } type AEdge { id: ID! }'))
  assert.equal(former?.has('AEdge'), false)
  assert.equal(former?.get('A'), 'B')
})
