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
        const groups = await read.Post.groupBy({
          where: { status: { eq: 'PUBLISHED' } },
          by: [{ author: { id: 'VALUE' } }],
          orderBy: [{ count: 'DESC' }],
          limit,
        })
        return groups.flatMap(({ key }) => key.author.id ?? [])
      },
    },
  },
})

function shorten(text: string, length: number): string {
  if (text.length <= length) return text
  const end = text.lastIndexOf(' ', length)
  return `${text.slice(0, end > 0 ? end : length)}…`
}
