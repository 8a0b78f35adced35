// What the servers by hand ask their database. SQLite answers at once, PostgreSQL later.

import type { CommentRow, PostRow, UserRow } from './rows.ts'

type Answer<T> = T | Promise<T>

export interface Database {
  user(id: string): Answer<UserRow | undefined>
  users(ids: readonly string[]): Answer<UserRow[]>
  post(id: string): Answer<PostRow | undefined>
  posts(limit: number, offset: number): Answer<PostRow[]>
  /** With the name of the author, newest first. */
  publishedBefore(moment: string, limit: number): Answer<(PostRow & { name: string })[]>
  /** Newest first; `after`: the moment and id of the last row before them. */
  newest(limit: number, after: { publishedAt: string; id: string } | null, before?: string): Answer<PostRow[]>
  /** So many of each post, by id. */
  comments(posts: readonly string[], limit: number): Answer<CommentRow[]>
  createComment(row: CommentRow): Answer<void>
}
