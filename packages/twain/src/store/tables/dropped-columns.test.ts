import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planDroppedColumns } from './dropped-columns.ts'

test('link tables are dropped before tables, and tables and columns of the schema stay', () => {
  const column = (name: string, type: string | null = null) => ({ name, type })
  const link = (name: string) => ({ name, left: 'left_id', right: 'right_id', rightType: null })
  const { dropped, names } = planDroppedColumns({
    tables: {
      Post: { name: 'Post', columns: { title: column('title'), '-about': column('about', 'about_type') } },
      '-Old': { name: 'Old', columns: { x: column('x') } },
    },
    links: { 'Post.tags': link('Post_tags'), '-Post_old': link('Post_old') },
  })
  assert.deepEqual(dropped, { tables: ['Post_old', 'Old'], columns: { Post: ['about', 'about_type'] } })
  assert.deepEqual(names, {
    tables: { Post: { name: 'Post', columns: { title: column('title') } } },
    links: { 'Post.tags': link('Post_tags') },
  })
})
