// The statements of the floor, on the tables of the servers by hand. `object` and `array` name the JSON functions of a database.

import { DatabaseSync } from 'node:sqlite'
// @ts-expect-error: the driver has no types of its own
import pg from 'pg'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

type Run = <Row>(...values: string[]) => Promise<Row[]>

interface Dialect {
  object: string
  array: string
  /** The column of the moment, and its text in JSON. */
  moment: string
  momentText: string
  prepare(sql: string): Run
}

export async function openFloor() {
  const [kind, place] = process.argv.slice(2)
  return statementsIn(kind === 'postgres' ? await postgres(place!) : sqlite(place!))
}

function sqlite(file: string): Dialect {
  openSqlite(file)
  const database = new DatabaseSync(file)
  database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
  return {
    object: 'json_object',
    array: 'json_group_array',
    moment: 'publishedAt',
    momentText: 'publishedAt',
    prepare(sql) {
      const statement = database.prepare(sql.replaceAll('$', '?'))
      return async <Row>(...values: string[]) => statement.all(...values) as Row[]
    },
  }
}

async function postgres(address: string): Promise<Dialect> {
  await openPostgres(address)
  const pool = new pg.Pool({ connectionString: address, max: 10 })
  let names = 0
  return {
    object: 'json_build_object',
    array: 'json_agg',
    moment: 'published_at',
    momentText: `to_char(published_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    prepare(text) {
      const name = `floor${names++}`
      return async <Row>(...values: string[]) => (await pool.query({ name, text, values })).rows as Row[]
    },
  }
}

function statementsIn({ object, array, moment, momentText, prepare }: Dialect) {
  const node = `${object}('id', id, 'title', title, 'publishedAt', ${momentText})`
  const keys = `id, ${momentText} AS moment, CAST(${node} AS text) AS text`
  const order = `ORDER BY ${moment} DESC, id DESC`
  const text = (run: Run) => async (value: string) => (await run<{ text: string }>(value))[0]!.text

  const before = prepare(`SELECT ${keys} FROM posts WHERE ${moment} < $1 ${order} LIMIT 2`)
  const after = prepare(`SELECT ${keys} FROM posts WHERE (${moment}, id) < ($1, $2) ${order} LIMIT 21`)
  const create = prepare('INSERT INTO comments (id, body, post, author) VALUES ($1, $2, $3, $4)')

  return {
    user: text(
      prepare(
        `SELECT CAST(${object}('id', id, 'name', name, 'email', email) AS text) AS text FROM users WHERE id = $1`,
      ),
    ),
    page: text(
      prepare(`
        SELECT coalesce(CAST(${array}(${object}('id', id, 'title', title, 'publishedAt', ${momentText}, 'author', ${object}('name', name))) AS text), '[]') AS text
        FROM (
          SELECT posts.id, title, ${moment}, name FROM posts JOIN users ON users.id = posts.author
          WHERE status = 'PUBLISHED' AND ${moment} < $1 ORDER BY ${moment} DESC, posts.id DESC LIMIT 20
        ) AS page`),
    ),
    feed: text(
      prepare(`
        SELECT CAST(${array}(${object}(
          'id', id, 'title', title,
          'author', (SELECT ${object}('id', users.id, 'name', users.name) FROM users WHERE users.id = page.author),
          'comments', (
            SELECT ${array}(${object}('id', id, 'body', body))
            FROM (SELECT id, body FROM comments WHERE comments.post = page.id ORDER BY id LIMIT 3) AS c
          )
        )) AS text) AS text
        FROM (SELECT id, title, author FROM posts ORDER BY id LIMIT 20 OFFSET CAST($1 AS integer)) AS page`),
    ),
    comment: text(
      prepare(`
        SELECT CAST(${object}(
          'id', comments.id, 'body', comments.body, 'post', ${object}('id', posts.id, 'title', title),
          'author', ${object}('id', users.id, 'name', name)
        ) AS text) AS text
        FROM comments JOIN posts ON posts.id = comments.post JOIN users ON users.id = comments.author WHERE comments.id = $1`),
    ),
    before(at: string) {
      return before<{ id: string; moment: string; text: string }>(at)
    },
    after(at: string, id: string) {
      return after<{ id: string; moment: string; text: string }>(at, id)
    },
    async create({ id, body, post, author }: { id: string; body: string; post: string; author: string }) {
      await create(id, body, post, author)
    },
  }
}
