// Settings and custom code. `npm run types` writes the types of the schema file.

import { defineService } from 'twain'
import type { Service } from './twain.types.ts'

export default defineService<Service>({
  resolvers: {
    Note: {
      words: (notes) => notes.map(({ text }) => text.split(/\s+/).length),
    },
  },
})
