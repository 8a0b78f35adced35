// The printed GraphQL schema, which is the served one, is valid (graphql-js' validateSchema, and the validation of SDL): of all schema
// files of the repository, and of random ones. `twain check` validates the definitions of the file only, as the whole served schema of
// 500 types takes three times the CPU time of loading them.
// stores: none

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { buildSchema, validateSchema } from 'graphql'
import { blog } from '../../packages/twain/src/graphql/blog.fixture.ts'
import { printSchema } from '../../packages/twain/src/graphql/index.ts'
import { loadModel, type Model } from '../../packages/twain/src/model/index.ts'
import { library } from '../../packages/twain/src/plan/library.fixture.ts'
import { Draw } from '../generate/draw.ts'
import { drawSchema, schemaSdl } from '../generate/random-schema.ts'
import { propertyRuns } from '../generate/samples.ts'
import { propertySeed } from '../generate/seed.ts'
import { ruleSchemas } from '../rules/rule-schemas.ts'

const root = join(import.meta.dirname, '../..')

test('of each schema file of the repository, and of the fixtures', () => {
  const patterns = ['examples/*/*', 'conformance/*/*', 'bench/*', 'bench/*/*', 'packages/twain/templates/*/*']
  const files = globSync(
    patterns.map((pattern) => `${pattern}.graphql`),
    { cwd: root },
  )
  const loaded = files.filter((file) => !isPrinted(file))
  assert.ok(loaded.length >= 18, loaded.join())
  for (const file of loaded) expectValid(loadModel(readFileSync(join(root, file), 'utf8'), file), file)
  expectValid(blog, 'blog')
  expectValid(library, 'library')
  for (const { name, sdl } of ruleSchemas) expectValid(loadModel(sdl, 'rules.graphql'), name)
})

test('of random schemas', () => {
  fc.assert(
    fc.property(fc.gen(), (value) => {
      const sdl = schemaSdl(drawSchema(new Draw(value)))
      expectValid(loadModel(sdl, 'random.graphql'), sdl)
    }),
    { seed: propertySeed, numRuns: propertyRuns(30, 300) },
  )
})

/** Documents of clients, and what Twain printed. */
function isPrinted(file: string): boolean {
  return !/\btype \w+[^{]*\{/.test(readFileSync(join(root, file), 'utf8'))
}

function expectValid(model: Model, name: string): void {
  assert.deepEqual(validateSchema(buildSchema(printSchema(model))), [], name)
}
