import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'
import { loadModel } from '../load-model.ts'
import type { Resource } from '../model.ts'
import { rowTypes } from './file-type.ts'

test('a field of the type File is a reference, a list of it is many-to-many, and both have an inverse', () => {
  const model = loadModel('type Post { id: ID! cover: File! photos: [File!]! }', 'a.graphql')
  const post = model.types.get('Post') as Resource
  const { resource, holders, uploader } = model.file!
  assert.deepEqual([...resource.fields.keys()], ['id', 'name', 'mediaType', 'size'])
  assert.deepEqual(
    holders.map(({ field, back }) => [field.name, back.kind, back.to]),
    [
      ['cover', 'many', post],
      ['photos', 'links', post],
    ],
  )
  assert.equal(uploader, null)
  assert.deepEqual(model.resources, [post])
  assert.deepEqual(rowTypes(model), [post, resource])
})

test('with accounts a file has an uploader; without a field of it there is no file', () => {
  const account = 'type User @account { id: ID! email: String! @unique picture: File }'
  assert.equal(loadModel(account, 'a.graphql').file?.uploader?.to.name, 'User')
  assert.equal(loadModel('type Post { id: ID! }', 'a.graphql').file, null)
})

const account = 'type User @account { id: ID! email: String! @unique }'

const cases: Record<string, MistakeCase> = {
  'an Upload as the type of a field': ['type A { id: ID! b: ‹Upload }', 'Write File'],
  'a list of lists of files': ['type A { id: ID! b: ‹[[File!]!]! }', "can't be a list of lists of File"],
  'a file inside a value': ['type A { id: ID! b: B } type B { c: ‹File }', "can't refer to File"],
  'a type that is called File': ['type ‹File { id: ID! }', 'is a type of the server itself'],
  'a union with files': ['type A { id: ID! } union U = A | ‹File', 'There is no type File'],
  'onDelete of a file': ['type A { id: ID! b: File @relation(onDelete: ‹CASCADE) }', 'no meaning for a File'],
  'an inverse of a list of files': [
    'type A { id: ID! b: [File!]! @relation(inverse: ‹"a") }',
    "File has no field a, so it can't be the inverse of A.b",
  ],
  'who may by a file': [`${account} type A @allow(who: ‹"b") { id: ID! b: File }`, 'leads to a file'],
  'who may by what a file has': [`${account} type A @allow(who: ‹"b.uploader") { id: ID! b: File }`, 'leads to a file'],
  'a type with the name of a generated type for files': [
    'type A { id: ID! b: File } type ‹FileEdge { id: ID! }',
    "can't define it",
  ],
}

for (const [title, mistake] of Object.entries(cases)) test(`${title} is a mistake`, () => expectMistakes(mistake))
