// Which texts have the order for people: by their folded form first (`textKey` of `#base`).

import type { StoredType } from './model.ts'

/** Whether the values of a field are texts in the order for people. Ids, enums, dates and exact numbers are not. */
export function isFolded({ type, collation }: { type: StoredType; collation?: 'BINARY' }): boolean {
  return type.kind === 'scalar' && type.name === 'String' && collation !== 'BINARY'
}
