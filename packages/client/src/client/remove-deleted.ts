// A delete in Twain's words, `deletePost(id: "p1") { success }`, tells the cache that the row is not there any more.

import type { Cache } from '../cache/cache.ts'
import type { Question } from '../document/operation.ts'
import type { Data } from '../document/selection.ts'

export function removeDeleted({ operation, select, values }: Question, data: Data, cache: Cache): void {
  for (const field of select.shape(operation.kind, cache.types).fields) {
    const result = data[field.key] as Data | null | undefined
    const type = /^delete([A-Z]\w*)$/.exec(field.name)?.[1]
    if (type === undefined || result?.__typename !== 'DeleteResult' || result.success === false) continue
    cache.remove(`${type}:${result.id ?? field.arguments(values).id}`)
  }
}
