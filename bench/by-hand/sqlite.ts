// SQLite as a team would use it: WAL, durable commits, prepared statements.

import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { Database } from './database.ts'
import { type CommentRow, comments, type PostRow, posts, type UserRow, users } from './rows.ts'

export function openSqlite(file: string): Database {
  const database = new DatabaseSync(file)
  database.exec(`
    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
    CREATE TABLE users (id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE) WITHOUT ROWID;
    CREATE TABLE posts (
      id TEXT PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, status TEXT NOT NULL, publishedAt TEXT NOT NULL,
      author TEXT NOT NULL REFERENCES users
    ) WITHOUT ROWID;
    CREATE TABLE comments (
      id TEXT PRIMARY KEY, body TEXT NOT NULL, post TEXT NOT NULL REFERENCES posts, author TEXT NOT NULL REFERENCES users
    ) WITHOUT ROWID;
    CREATE INDEX posts_status ON posts (status, publishedAt, id);
    CREATE INDEX posts_moment ON posts (publishedAt, id);
    CREATE INDEX posts_author ON posts (author);
    CREATE INDEX comments_post ON comments (post, id);
    BEGIN`)
  for (const [table, rows] of Object.entries({ users, posts, comments })) {
    const columns = Object.keys(rows[0]!)
    const insert = database.prepare(`INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => '?')})`)
    for (const row of rows) insert.run(...Object.values(row as object))
  }
  database.exec('COMMIT; ANALYZE')

  const all = <T>(sql: string) => {
    const statement = database.prepare(sql)
    return (...values: SQLInputValue[]) => statement.all(...values) as T[]
  }
  const one = <T>(sql: string) => {
    const statement = database.prepare(sql)
    return (...values: SQLInputValue[]) => statement.get(...values) as T | undefined
  }
  const usersByIds = all<UserRow>('SELECT * FROM users WHERE id IN (SELECT value FROM json_each(?))')
  const commentsOf = all<CommentRow>(`
    SELECT id, body, post, author FROM (
      SELECT *, row_number() OVER (PARTITION BY post ORDER BY id) AS place FROM comments
      WHERE post IN (SELECT value FROM json_each(?))
    ) WHERE place <= ? ORDER BY post, id`)
  const published = all<PostRow & { name: string }>(`
    SELECT posts.id, title, publishedAt, name FROM posts JOIN users ON users.id = posts.author
    WHERE status = 'PUBLISHED' AND publishedAt < ? ORDER BY publishedAt DESC, posts.id DESC LIMIT ?`)
  const newest = all<PostRow>('SELECT * FROM posts ORDER BY publishedAt DESC, id DESC LIMIT ?')
  const newestAfter = all<PostRow>(
    'SELECT * FROM posts WHERE (publishedAt, id) < (?, ?) ORDER BY publishedAt DESC, id DESC LIMIT ?',
  )
  const newestBefore = all<PostRow>(
    'SELECT * FROM posts WHERE publishedAt < ? ORDER BY publishedAt DESC, id DESC LIMIT ?',
  )
  const create = database.prepare('INSERT INTO comments (id, body, post, author) VALUES (?, ?, ?, ?)')

  return {
    user: one<UserRow>('SELECT * FROM users WHERE id = ?'),
    users: (ids) => usersByIds(JSON.stringify(ids)),
    post: one<PostRow>('SELECT * FROM posts WHERE id = ?'),
    posts: all<PostRow>('SELECT * FROM posts ORDER BY id LIMIT ? OFFSET ?'),
    publishedBefore: published,
    newest(limit, after, before) {
      if (before !== undefined) return newestBefore(before, limit)
      return after === null ? newest(limit) : newestAfter(after.publishedAt, after.id, limit)
    },
    comments: (posts, limit) => commentsOf(JSON.stringify(posts), limit),
    createComment: ({ id, body, post, author }) => void create.run(id, body, post, author),
  }
}
