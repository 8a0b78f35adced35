import assert from 'node:assert/strict'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildSchema, type GraphQLObjectType } from 'graphql'
import { loadModel } from '#model'
import { printSchema } from './build-schema.ts'
import { vocabularyFile } from './vocabulary-file.ts'

const root = join(import.meta.dirname, '../../../../..')
const file = join(root, 'packages/twain/vocabulary.graphql')

test('vocabulary.graphql is up to date; WRITE_VOCABULARY=1 writes it', () => {
  if (process.env.WRITE_VOCABULARY === '1') writeFileSync(file, vocabularyFile())
  assert.equal(readFileSync(file, 'utf8'), vocabularyFile())
})

test('with it, standard tools read every schema file', () => {
  const files = globSync(
    ['examples/*/schema.graphql', 'conformance/**/*.graphql', 'packages/twain/templates/*/*.graphql'],
    {
      cwd: root,
      exclude: (name) => name === 'node_modules',
    },
  )
  assert.ok(files.length > 5)
  for (const name of files) {
    const sdl = readFileSync(join(root, name), 'utf8')
    assert.ok(buildSchema(`${sdl}\n${vocabularyFile()}`), name)
  }
})

test('the file type is that of the API', () => {
  const served = buildSchema(printSchema(loadModel('type A @allow { id: ID! file: File }', 'a.graphql')))
  const declared = buildSchema(vocabularyFile())
  const describe = (schema: typeof served) =>
    Object.values((schema.getType('File') as GraphQLObjectType).getFields()).map(
      ({ name, type, description }) => `${name}: ${type} ${description}`,
    )
  assert.deepEqual(describe(declared), describe(served))
})
