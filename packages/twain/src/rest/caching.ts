// Who may keep an answer (docs/rest.md, R60): with rules it depends on who asks, so that no shared cache may give it to
// someone else.

import type { Model } from '#model'

export interface Caching {
  control: string
  /** `Vary` of one row, and of a page. */
  item: string
  page: string
}

const open: Caching = { control: 'no-cache', item: 'accept', page: 'accept, prefer' }
const ruled: Caching = {
  control: 'private, no-cache',
  item: 'accept, authorization',
  page: 'accept, authorization, prefer',
}

export function cachingOf({ account, resources }: Model): Caching {
  return account !== null || resources.some(({ rules }) => rules.length > 0) ? ruled : open
}
