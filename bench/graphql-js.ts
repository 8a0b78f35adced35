// graphql-js and DataLoader over the same SQLite tables as the baseline.

import { type Row, serveGraphqlJs } from './graphql-js-server.ts'
import { fillTables } from './plain-server.ts'

const database = fillTables(process.argv[2]!)

const posts = database.prepare('SELECT id, title, author FROM post ORDER BY id LIMIT ? OFFSET ?')
const users = database.prepare('SELECT id, name, email, bio FROM user WHERE id IN (SELECT value FROM json_each(?))')
const comments = database.prepare(`
  SELECT comment.id, comment.body, comment.post FROM json_each(?) AS page JOIN comment ON comment.id IN (
    SELECT id FROM comment WHERE post = page.value ORDER BY id LIMIT ?
  ) ORDER BY page.key, comment.id`)

serveGraphqlJs({
  posts: (limit, offset) => posts.all(limit, offset) as Row[],
  users: (ids) => users.all(JSON.stringify(ids)) as Row[],
  comments: (of, limit) => comments.all(JSON.stringify(of), limit) as Row[],
})
