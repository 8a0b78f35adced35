// The collection of schema.graphql, as the audits want it told.

import type { Target } from './audits.ts'

export const notes: Omit<Target, 'url'> = {
  collection: '/notes',
  rows: ['{"title": "one", "body": "Zoë"}', '{"title": "two"}'],
}
