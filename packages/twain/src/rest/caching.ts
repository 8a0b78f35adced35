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

export function cachingOf(model: Model): Caching {
  return isRuled(model) ? ruled : open
}

/** Whether answers may depend on who asks. */
export function isRuled({ account, resources }: Model): boolean {
  return account !== null || resources.some(({ rules }) => rules.length > 0)
}
