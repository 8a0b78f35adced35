// Removes rows that Twain reports as deleted: `deletePost(id: "p1") { success }`, and the events `postDeleted` and
// `postChanged`.

import type { Cache } from '../cache/cache.ts'
import type { BoundOperation } from '../document/operation.ts'
import type { Data } from '../document/selection.ts'

export function removeDeleted({ operation, select, values }: BoundOperation, data: Data, cache: Cache): void {
  for (const field of select.shape(operation.kind, cache.types).fields) {
    const result = data[field.key] as Data | null | undefined
    const type = result == null ? undefined : deletedType(field.name, result)
    if (type !== undefined) cache.remove(`${type}:${result!.id ?? field.arguments(values).id}`)
  }
}

function deletedType(field: string, { __typename, success, kind }: Data): string | undefined {
  if (__typename === 'DeleteResult') return success === false ? undefined : /^delete(.+)/.exec(field)?.[1]
  const [, type, what] = /^(.+)(Deleted|Changed)$/.exec(String(__typename)) ?? []
  return what === 'Deleted' || kind === 'DELETED' ? type : undefined
}
