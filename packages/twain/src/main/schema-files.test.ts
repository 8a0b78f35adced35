import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readSchema } from './read-files.ts'
import { walkSchemaFolder } from './schema-files.ts'

test('a folder has the graphql files below it, in the order of their paths, and no dot files', (t) => {
  const folder = schemaFolder(t, {
    'b.graphql': '',
    'B.graphql': '',
    'a/z.graphql': '',
    'a/deep/er/c.graphql': '',
    'a.graphql': '',
    'notes.md': '',
    'a.gql': '',
    '.hidden.graphql': '',
    '.git/x.graphql': '',
    'node_modules/twain/vocabulary.graphql': '',
  })
  assert.deepEqual(
    walkSchemaFolder(folder).files.map((file) => file.slice(folder.length + 1)),
    ['B.graphql', 'a.graphql', 'a/deep/er/c.graphql', 'a/z.graphql', 'b.graphql'],
  )
})

test('links are followed, as Kubernetes mounts files, and a circle of links ends', (t) => {
  const folder = schemaFolder(t, { '..data/posts/a.graphql': '', '..data/b.graphql': '' })
  symlinkSync('..data/posts', join(folder, 'posts'))
  symlinkSync('..data/b.graphql', join(folder, 'b.graphql'))
  symlinkSync('nowhere.graphql', join(folder, 'broken.graphql'))
  symlinkSync('..', join(folder, 'posts/up'))
  assert.deepEqual(
    walkSchemaFolder(folder).files.map((file) => file.slice(folder.length + 1)),
    ['b.graphql', 'posts/a.graphql'],
  )
})

test('a folder is read as one schema, and one without files has a clear message', async (t) => {
  const folder = schemaFolder(t, {
    'posts.graphql': 'type Post { id: ID! author: User }',
    'users.graphql': 'type User { id: ID! }',
    'comments-only.graphql': '# nothing yet',
  })
  const { model, sdl } = await readSchema(`${folder}/`)
  assert.deepEqual(
    model.resources.map(({ name, place }) => `${name} ${place.file.slice(folder.length + 1)}`),
    ['Post posts.graphql', 'User users.graphql'],
  )
  assert.equal(sdl, 'type Post { id: ID! author: User }\n\ntype User { id: ID! }\n')
  const empty = schemaFolder(t, { 'readme.md': '' })
  await assert.rejects(readSchema(empty), {
    name: 'SchemaRejected',
    message: /has no file whose name ends with \.graphql/,
  })
})

function schemaFolder(t: TestContext, files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'twain-folder-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}
