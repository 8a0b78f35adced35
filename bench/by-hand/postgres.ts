// PostgreSQL as a team would use it: a pool and named statements.

// @ts-expect-error: the driver has no types of its own
import pg from 'pg'
import type { Database } from './database.ts'
import { type CommentRow, comments, type PostRow, posts, type UserRow, users } from './rows.ts'

interface Pool {
  query(query: string | { name?: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>
}

export async function openPostgres(address: string): Promise<Database> {
  const driver = pg as { Pool: new (options: object) => Pool }
  const pool = new driver.Pool({ connectionString: address, max: 10 })
  await fill(pool)

  const all = <T>(name: string, text: string) => {
    return async (...values: unknown[]) => (await pool.query({ name, text, values })).rows as T[]
  }
  const one = <T>(name: string, text: string) => {
    const rows = all<T>(name, text)
    return async (...values: unknown[]) => (await rows(...values))[0]
  }
  const columns = `id, title, body, status, published_at AS "publishedAt", author`
  const usersByIds = all<UserRow>('users', 'SELECT * FROM users WHERE id = ANY ($1)')
  const commentsOf = all<CommentRow>(
    'comments',
    `SELECT c.* FROM unnest($1::text[]) AS p (id)
     CROSS JOIN LATERAL (SELECT * FROM comments WHERE post = p.id ORDER BY id LIMIT $2) AS c`,
  )
  const published = all<PostRow & { name: string }>(
    'published',
    `SELECT posts.id, title, published_at AS "publishedAt", name FROM posts JOIN users ON users.id = posts.author
     WHERE status = 'PUBLISHED' AND published_at < $1 ORDER BY published_at DESC, posts.id DESC LIMIT $2`,
  )
  const newest = all<PostRow>('newest', `SELECT ${columns} FROM posts ORDER BY published_at DESC, id DESC LIMIT $1`)
  const newestAfter = all<PostRow>(
    'newestAfter',
    `SELECT ${columns} FROM posts WHERE (published_at, id) < ($1, $2) ORDER BY published_at DESC, id DESC LIMIT $3`,
  )
  const newestBefore = all<PostRow>(
    'newestBefore',
    `SELECT ${columns} FROM posts WHERE published_at < $1 ORDER BY published_at DESC, id DESC LIMIT $2`,
  )
  const create = all('create', 'INSERT INTO comments (id, body, post, author) VALUES ($1, $2, $3, $4)')

  return {
    user: one<UserRow>('user', 'SELECT * FROM users WHERE id = $1'),
    users: (ids) => usersByIds(ids),
    post: one<PostRow>('post', `SELECT ${columns} FROM posts WHERE id = $1`),
    posts: all<PostRow>('posts', `SELECT ${columns} FROM posts ORDER BY id LIMIT $1 OFFSET $2`),
    publishedBefore: published,
    newest(limit, after, before) {
      if (before !== undefined) return newestBefore(before, limit)
      return after === null ? newest(limit) : newestAfter(after.publishedAt, after.id, limit)
    },
    comments: (posts, limit) => commentsOf(posts, limit),
    async createComment({ id, body, post, author }) {
      await create(id, body, post, author)
    },
  }
}

async function fill(pool: Pool): Promise<void> {
  await pool.query(`
    CREATE TABLE users (id text COLLATE "C" PRIMARY KEY, name text NOT NULL, email text NOT NULL UNIQUE);
    CREATE TABLE posts (
      id text COLLATE "C" PRIMARY KEY, title text NOT NULL, body text NOT NULL, status text NOT NULL,
      published_at timestamptz NOT NULL, author text COLLATE "C" NOT NULL REFERENCES users
    );
    CREATE TABLE comments (
      id text COLLATE "C" PRIMARY KEY, body text NOT NULL, post text COLLATE "C" NOT NULL REFERENCES posts,
      author text COLLATE "C" NOT NULL REFERENCES users
    )`)
  const add = (table: string, select: string, rows: object[]) =>
    pool.query({
      text: `INSERT INTO ${table} SELECT ${select} FROM json_array_elements($1) AS r`,
      values: [JSON.stringify(rows)],
    })
  await add('users', `r->>'id', r->>'name', r->>'email'`, users)
  await add(
    'posts',
    `r->>'id', r->>'title', r->>'body', r->>'status', (r->>'publishedAt')::timestamptz, r->>'author'`,
    posts,
  )
  await add('comments', `r->>'id', r->>'body', r->>'post', r->>'author'`, comments)
  await pool.query(`
    CREATE INDEX ON posts (status, published_at, id);
    CREATE INDEX ON posts (published_at, id);
    CREATE INDEX ON posts (author);
    CREATE INDEX ON comments (post, id)`)
}
