import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filteredFields } from './filtered-fields.ts'

const fields: Record<string, Record<string, string | null>> = {
  Post: { title: null, author: 'User', tags: 'Tag' },
  User: { name: null },
  Tag: { name: null },
}
const schema = {
  fieldsOf: (type: string) => Object.entries(fields[type] ?? {}).map(([name, to]) => ({ name, to })),
  type: (name: string | null) => (fields[name ?? ''] === undefined ? undefined : { name }),
} as unknown as Parameters<typeof filteredFields>[0]

test('a filter names fields in parts, through references and in lists', () => {
  const where = {
    or: [{ title: { eq: 'name' } }, { author: { name: { contains: 'title' } } }],
    not: { tags: { some: { name: { in: ['title'] } } } },
  }
  assert.deepEqual(filteredFields(schema, 'Post', where), [
    'Post.title',
    'Post.author',
    'User.name',
    'Post.tags',
    'Tag.name',
  ])
})

test('no filter names nothing', () => {
  assert.deepEqual(filteredFields(schema, 'Post', null), [])
  assert.deepEqual(filteredFields(schema, 'Post', {}), [])
})
