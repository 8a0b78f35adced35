// The baseline on SQLite: one prepared statement for each request, which builds the JSON.

import { type Page, serveBaseline, type User } from './baseline-server.ts'
import { fillTables } from './plain-server.ts'

const database = fillTables(process.argv[2]!)

const feed = database.prepare(`
  SELECT json_group_array(json_object(
    'id', id,
    'title', title,
    'author', (SELECT json_object('id', user.id, 'name', user.name) FROM user WHERE user.id = page.author),
    'comments', (
      SELECT json_group_array(json_object('id', id, 'body', body))
      FROM (SELECT id, body FROM comment WHERE comment.post = page.id ORDER BY id LIMIT 3)
    )
  )) AS text
  FROM (SELECT id, title, author FROM post ORDER BY id LIMIT 20 OFFSET ?) AS page`)

const user = database.prepare(
  `SELECT json_object('id', id, 'name', name, 'email', email, 'bio', bio) AS text, version FROM user WHERE id = ?`,
)

const page = database.prepare(`
  SELECT json_group_array(json_object('id', id, 'title', title, 'body', body, 'author', author)) AS text,
    EXISTS (SELECT 1 FROM post LIMIT 1 OFFSET ?1 + 20) AS more
  FROM (SELECT id, title, body, author FROM post ORDER BY id LIMIT 20 OFFSET ?1)`)

serveBaseline({
  feed: (offset, then) => then(feed.get(offset)!.text as string),
  user: (id, then) => then((user.get(id) as User | undefined) ?? null),
  page(offset, then) {
    const { text, more } = page.get(offset)!
    then({ text, more: more === 1 } as Page)
  },
})
