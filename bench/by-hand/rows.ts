// The rows of all servers: 1,000 users, 20,000 posts, 60,000 comments.

import { randomUUID } from 'node:crypto'

export interface UserRow {
  id: string
  name: string
  email: string
}

export interface PostRow {
  id: string
  title: string
  body: string
  status: 'DRAFT' | 'PUBLISHED'
  publishedAt: string
  author: string
}

export interface CommentRow {
  id: string
  body: string
  post: string
  author: string
}

const words =
  'harbour lantern tide copper meadow signal thistle anchor winter paper orchard ferry granite whistle'.split(' ')

export const firstMoment = Date.UTC(2024, 0, 1)
const minutesBetweenPosts = 37

export const users: UserRow[] = Array.from({ length: 1000 }, (_, index) => ({
  id: `u${padded(index)}`,
  name: sentence(index, 2),
  email: `reader${index}@bench.example`,
}))

export const posts: PostRow[] = Array.from({ length: 20_000 }, (_, index) => ({
  id: `p${padded(index)}`,
  title: sentence(index, 5),
  body: sentence(index, 60),
  status: index % 4 === 0 ? 'DRAFT' : 'PUBLISHED',
  publishedAt: momentOf(index),
  author: `u${padded((index * 7) % users.length)}`,
}))

export const comments: CommentRow[] = Array.from({ length: 60_000 }, (_, index) => ({
  id: `c${padded(index)}`,
  body: sentence(index * 3 + 1, 9),
  post: `p${padded((index * 13) % posts.length)}`,
  author: `u${padded((index * 11) % users.length)}`,
}))

/** When the post with this number was published; no two at the same moment. */
export function momentOf(index: number): string {
  return new Date(firstMoment + index * minutesBetweenPosts * 60_000).toISOString()
}

/** Before the ids of all rows above, as those that Twain makes. */
export function newId(): string {
  return `0${randomUUID().slice(1)}`
}

function sentence(seed: number, length: number): string {
  return Array.from({ length }, (_, index) => words[(seed * 3 + index * (seed % 5) + index) % words.length]!).join(' ')
}

function padded(index: number): string {
  return String(index).padStart(5, '0')
}
