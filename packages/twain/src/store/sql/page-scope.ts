import type { PageRead } from '#plan'

/** Limits a page to the rows that `field` of the row with `id` leads to. */
export interface PageScope {
  field: (PageRead['within'] & object)['field']
  /** SQL of the owner's id. */
  id: string
}
