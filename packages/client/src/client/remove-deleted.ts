// Removes rows that Twain reports as deleted: `deletePost(id: "p1") { success }`, `deletePostBy(key: {slug: "knots"}) { id }`, and
// the events `postDeleted` and `postChanged`.

import type { Cache } from '../cache/cache.ts'
import type { BoundOperation } from '../document/operation.ts'
import type { Data } from '../document/selection.ts'

export function removeDeleted({ operation, select, values }: BoundOperation, data: Data, cache: Cache): void {
  for (const field of select.shape(operation.kind, cache.types).fields) {
    const result = data[field.key] as Data | null
    const { id, key } = field.arguments(values)
    // A type may be called `StandBy`: the arguments tell whether the row was named by a key.
    const type = result && deletedType(key ? field.name.slice(0, -2) : field.name, result)
    if (type) cache.remove(`${type}:${result.id ?? id}`)
  }
}

function deletedType(field: string, { __typename, success, kind }: Data): string | false | undefined {
  if (__typename === 'DeleteResult') return success !== false && field.slice(6)
  const [, type, what] = /(.+)(Deleted|Changed)$/.exec(__typename as string) ?? []
  return (what === 'Deleted' || kind === 'DELETED') && type
}
