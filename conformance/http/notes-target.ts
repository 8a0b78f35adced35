// The collection of schema.graphql, as a target of the audits.

import type { Target } from './audits.ts'

export const notes: Omit<Target, 'url'> = {
  collection: '/notes',
  rows: ['{"title": "one", "body": "Zoë"}', '{"title": "two"}'],
}
