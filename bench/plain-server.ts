// Shared parts of the servers that Twain is compared with: the same rows in hand-written tables, a port, and bodies.

import type { IncomingMessage, Server } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { comments, posts, users } from './data.ts'

export function listen(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    process.send?.({ kind: 'listening', port: typeof address === 'object' ? address?.port : null })
  })
}

export function readBody(request: IncomingMessage, then: (body: string) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => then(chunks.length === 1 ? chunks[0]!.toString() : Buffer.concat(chunks).toString()))
}

export function fillTables(file: string): DatabaseSync {
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
