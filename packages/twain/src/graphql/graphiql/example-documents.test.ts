import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { loadModel, type Model } from '#model'
import { defaultLimits } from '#plan'
import { DocumentCache } from '../document/document-cache.ts'
import { coerceVariables } from '../document/variables.ts'
import { buildApiSchema } from '../schema/build-schema.ts'
import { exampleDocuments } from './example-documents.ts'

const root = new URL('../../../../../', import.meta.url)

test('the examples are a list, one row with its relations, and a create', () => {
  const examples = exampleDocuments(
    modelOf(`
      type Author { id: ID! name: String! books: [Book!]! shelves: [Shelf!]! }
      type Shelf { id: ID! author: Author! }
      type Book { id: ID! title: String! old: Int @deprecated size: Size author: Author! }
      type Size { pages: Int }
    `),
  )
  assert.deepEqual(
    examples.map(({ title }) => title),
    ['List shelves', 'One Author with its relations', 'Create a Author'],
  )
  assert.equal(
    examples[0]?.query,
    'query Shelves {\n  shelves(limit: 5) {\n    id\n    author {\n      id\n      name\n    }\n  }\n}\n',
  )
  assert.match(examples[1]!.query, /books\(limit: 3\) \{\n {6}id\n {6}title\n {4}\}/)
  assert.deepEqual(JSON.parse(examples[2]!.variables), { input: { name: 'A name' } })
})

test('an example has no field that some viewers may not read', () => {
  const [list] = exampleDocuments(
    modelOf('type A @allow { id: ID! open: Int secret: Int @allow(role: "x", to: [READ]) }'),
  )
  assert.doesNotMatch(list!.query, /secret/)
})

test('the examples of every test schema are valid and within the limits', () => {
  const files = globSync(['examples/*/schema.graphql', 'conformance/schemas/*.graphql'], { cwd: root })
  assert.ok(files.length > 10)
  for (const file of files) {
    const model = modelOf(readFileSync(new URL(file, root), 'utf8'))
    const documents = new DocumentCache(buildApiSchema(model), defaultLimits)
    for (const { query, variables } of exampleDocuments(model)) {
      const operation = documents.find(query, null)
      coerceVariables(operation.variables, variables === '' ? {} : JSON.parse(variables))
    }
  }
})

function modelOf(sdl: string): Model {
  return loadModel(sdl, 'schema.graphql')
}
