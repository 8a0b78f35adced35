// The blog's own code: what is told of a post and not kept with it.

import { defineService } from 'twain'

interface Written {
  body: string
}

export default defineService({
  resolvers: {
    Post: {
      excerpt: (rows: readonly Written[], { length }: { length: number }) =>
        rows.map(({ body }) => shorten(body, length)),
      readingMinutes: (rows: readonly Written[]) => rows.map(({ body }) => Math.ceil(body.split(/\s+/).length / 200)),
    },
  },
})

function shorten(text: string, length: number): string {
  if (text.length <= length) return text
  const end = text.lastIndexOf(' ', length)
  return `${text.slice(0, end > 0 ? end : length)}…`
}
