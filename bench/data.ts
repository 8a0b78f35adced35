// The rows of both servers: the same ids and texts in both databases.

export interface User {
  id: string
  name: string
  email: string
  bio: string | null
}

export interface Post {
  id: string
  title: string
  body: string
  author: string
}

export interface Comment {
  id: string
  body: string
  post: string
  author: string
}

const words =
  'harbour lantern tide copper meadow signal thistle anchor winter paper orchard ferry granite whistle'.split(' ')

export const users: User[] = Array.from({ length: 200 }, (_, index) => ({
  id: `u${padded(index)}`,
  name: `${word(index)} ${word(index * 5 + 3)}`,
  email: `reader${index}@bench.example`,
  bio: index % 3 === 0 ? null : sentence(index, 12),
}))

export const posts: Post[] = Array.from({ length: 1000 }, (_, index) => ({
  id: `p${padded(index)}`,
  title: sentence(index, 5),
  body: sentence(index, 60),
  author: `u${padded((index * 7) % users.length)}`,
}))

export const comments: Comment[] = Array.from({ length: 8000 }, (_, index) => ({
  id: `c${padded(index)}`,
  body: sentence(index * 3 + 1, 9),
  post: `p${padded((index * 13) % posts.length)}`,
  author: `u${padded((index * 11) % users.length)}`,
}))

function sentence(seed: number, length: number): string {
  return Array.from({ length }, (_, index) => word(seed * 3 + index * (seed % 5) + index)).join(' ')
}

function word(index: number): string {
  return words[index % words.length]!
}

function padded(index: number): string {
  return String(index).padStart(5, '0')
}
