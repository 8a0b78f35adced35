// The floor on SQLite: one prepared statement for each question, which builds the JSON.

import { DatabaseSync } from 'node:sqlite'
import { comments, posts, users } from './data.ts'
import { type Page, serveFloor, type User } from './floor-server.ts'

const database = fill(process.argv[2]!)

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

serveFloor({
  feed: (offset, then) => then(feed.get(offset)!.text as string),
  user: (id, then) => then((user.get(id) as User | undefined) ?? null),
  page(offset, then) {
    const { text, more } = page.get(offset)!
    then({ text, more: more === 1 } as Page)
  },
})

function fill(file: string): DatabaseSync {
  const database = new DatabaseSync(file)
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE user (id TEXT PRIMARY KEY, version INTEGER NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE, bio TEXT) WITHOUT ROWID;
    CREATE TABLE post (id TEXT PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, author TEXT NOT NULL REFERENCES user) WITHOUT ROWID;
    CREATE TABLE comment (id TEXT PRIMARY KEY, body TEXT NOT NULL, post TEXT NOT NULL REFERENCES post, author TEXT NOT NULL REFERENCES user) WITHOUT ROWID;
    CREATE INDEX comment_post ON comment (post, id);
    BEGIN`)
  const [addUser, addPost, addComment] = [
    database.prepare('INSERT INTO user VALUES (?, 1, ?, ?, ?)'),
    database.prepare('INSERT INTO post VALUES (?, ?, ?, ?)'),
    database.prepare('INSERT INTO comment VALUES (?, ?, ?, ?)'),
  ]
  for (const row of users) addUser.run(row.id, row.name, row.email, row.bio)
  for (const row of posts) addPost.run(row.id, row.title, row.body, row.author)
  for (const row of comments) addComment.run(row.id, row.body, row.post, row.author)
  database.exec('COMMIT')
  return database
}
