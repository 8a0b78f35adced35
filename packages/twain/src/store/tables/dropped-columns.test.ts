import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planDroppedColumns } from './dropped-columns.ts'

test('links are dropped before columns and columns before tables, and tables and columns of the schema stay', () => {
  const column = (name: string, type: string | null = null) => ({ name, type })
  const link = (name: string) => ({ name, left: 'left_id', right: 'right_id', rightType: null })
  const { statements, names } = planDroppedColumns({
    tables: {
      Post: { name: 'Post', columns: { title: column('title'), '-about': column('about', 'about_type') } },
      '-Old': { name: 'Old', columns: { x: column('x') } },
    },
    links: { 'Post.tags': link('Post_tags'), '-Post_old': link('Post_old') },
  })
  assert.deepEqual(statements, [
    'DROP TABLE "Post_old"',
    'ALTER TABLE "Post" DROP COLUMN "about"',
    'ALTER TABLE "Post" DROP COLUMN "about_type"',
    'DROP TABLE "Old"',
  ])
  assert.deepEqual(names, {
    tables: { Post: { name: 'Post', columns: { title: column('title') } } },
    links: { 'Post.tags': link('Post_tags') },
  })
})
