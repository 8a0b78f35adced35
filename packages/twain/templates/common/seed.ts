// Fills an empty service: `npm run dev` runs it at the first start.

import type { Make } from 'twain'

export async function seed(make: Make): Promise<string> {
  const ann = await make('User', { name: 'Ann', email: 'ann@example.org', password: 'fair winds' })
  await make('Note', { text: 'Buy a lamp for the boat', author: ann.id, status: 'PUBLISHED' })
  await make('Note', { text: 'A draft that only Ann sees', author: ann.id })
  return 'ann@example.org can sign in with the password "fair winds".'
}
