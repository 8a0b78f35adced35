// graphql-js and DataLoader on PostgreSQL, with the driver and the number of connections of the baseline, and Twain's own
// tables.

import { serveGraphqlJs } from './graphql-js-server.ts'
import { openPgPool } from './pg-pool.ts'

const { rows: ask } = openPgPool(process.argv[2]!)

const posts = 'SELECT id, title, author FROM "Post" ORDER BY id LIMIT $1::bigint OFFSET $2::bigint'
const users = `SELECT id, name, email, bio FROM "User" WHERE id IN (SELECT json_array_elements_text($1::json))`
const comments = `
  SELECT c.id, c.body, c.post FROM json_array_elements_text($1::json) WITH ORDINALITY AS page (id, n), LATERAL (
    SELECT id, body, post FROM "Comment" WHERE post = page.id ORDER BY id LIMIT $2::bigint
  ) AS c ORDER BY page.n, c.id`

serveGraphqlJs({
  posts: (limit, offset) => ask(posts, limit, offset),
  users: (ids) => ask(users, JSON.stringify(ids)),
  comments: (of, limit) => ask(comments, JSON.stringify(of), limit),
})
