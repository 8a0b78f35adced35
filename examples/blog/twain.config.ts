// Custom code of the blog: two computed fields of a post, and the query `topAuthors`. `twain types schema.graphql` writes the
// types.

import { defineService } from 'twain'
import type { Service } from './twain.types.ts'

export default defineService<Service>({
  resolvers: {
    Post: {
      excerpt: (rows, { length }) => rows.map(({ body }) => shorten(body, length)),
      readingMinutes: (rows) => rows.map(({ body }) => Math.ceil(body.split(/\s+/).length / 200)),
    },
    Query: {
      async topAuthors({ limit }, { read }) {
        const posts = await read.Post.list({ where: { status: { eq: 'PUBLISHED' } }, limit: 100 })
        const counts = new Map<string, number>()
        for (const { author } of posts) if (author !== null) counts.set(author, (counts.get(author) ?? 0) + 1)
        const best = [...counts].sort(([, a], [, b]) => b - a)
        return best.slice(0, limit).map(([author]) => author)
      },
    },
  },
})

function shorten(text: string, length: number): string {
  if (text.length <= length) return text
  const end = text.lastIndexOf(' ', length)
  return `${text.slice(0, end > 0 ? end : length)}…`
}
