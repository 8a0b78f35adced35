// The baseline on PostgreSQL: one statement for each request, prepared by Twain's driver, on as many connections as Twain's
// reads have. The tables are Twain's own: the same rows in the same pages.

import { serveBaseline } from './baseline-server.ts'
import { openPgPool } from './pg-pool.ts'

const { arrays } = openPgPool(process.argv[2]!)

const feed = `
  SELECT array_to_json(ARRAY(
    SELECT row_to_json(o) FROM (
      SELECT id, title,
        (SELECT row_to_json(a) FROM (SELECT id, name FROM "User" WHERE id = page.author) AS a) AS author,
        array_to_json(ARRAY(
          SELECT row_to_json(c) FROM (SELECT id, body FROM "Comment" WHERE post = page.id ORDER BY id LIMIT 3) AS c
        )) AS comments
      FROM (SELECT id, title, author FROM "Post" ORDER BY id LIMIT 20 OFFSET $1::bigint) AS page
    ) AS o
  ))::text`

const user = `
  SELECT (SELECT row_to_json(o) FROM (SELECT "User".id, "User".name, "User".email, "User".bio) AS o)::text, _version
  FROM "User" WHERE id = $1::text`

const page = `
  SELECT array_to_json(ARRAY(
    SELECT row_to_json(o) FROM (SELECT id, title, body, author FROM "Post" ORDER BY id LIMIT 20 OFFSET $1::bigint) AS o
  ))::text, EXISTS (SELECT 1 FROM "Post" OFFSET $1::bigint + 20)`

serveBaseline({
  feed: async (offset, then) => then((await arrays<[string]>(feed, offset))[0]![0]),
  async user(id, then) {
    const [row] = await arrays<[string, string]>(user, id)
    then(row === undefined ? null : { text: row[0], version: Number(row[1]) })
  },
  async page(offset, then) {
    const [[text, more]] = (await arrays(page, offset)) as [[string, boolean]]
    then({ text, more })
  },
})
