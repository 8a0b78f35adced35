// Settings and custom code. `npm run types` writes the types of the schema file.

import { defineService } from 'twain'
import type { Service } from './twain.types.ts'

export default defineService<Service>({
  // The APIs are below /api, and the built page is everywhere else.
  http: { basePath: '/api', static: 'dist' },
  resolvers: {
    Note: {
      words: (notes) => notes.map(({ text }) => text.split(/\s+/).length),
    },
  },
})
