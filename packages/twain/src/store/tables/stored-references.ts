// The references that a database holds, of every schema that was served from it: columns of references and both sides of
// links, by storage names. They are saved with the storage names, so that any version of the schema knows what refers to its
// rows, also by fields and types that only another version has.

import { loadModel, SchemaMistakes } from '#model'
import { type Layout, layOut, referenceKey, referencesOf } from './layout.ts'
import type { StorageNames, StoredReference } from './storage-names.ts'

/** Those that this layout does not have. */
export function unknownReferences(all: readonly StoredReference[], layout: Layout): StoredReference[] {
  const known = new Set([...referencesOf(layout)].map(referenceKey))
  return all.filter((reference) => !known.has(referenceKey(reference)))
}

/** Those that these storage names still have: `twain migrate --drop` may have dropped the others. */
export function keptReferences(all: readonly StoredReference[], { tables, links }: StorageNames): StoredReference[] {
  const kept = new Set<string>()
  for (const { name: table, columns } of Object.values(tables)) {
    for (const { name: column } of Object.values(columns)) kept.add(referenceKey({ table, column }))
  }
  for (const { name: table, left, right } of Object.values(links)) {
    for (const column of [left, right]) kept.add(referenceKey({ table, column }))
  }
  return all.filter((reference) => kept.has(referenceKey(reference)))
}

/** For a database whose storage names lack them: the references of all schemas that were served, the oldest first. */
export function referencesInHistory(
  served: readonly { sdl: string; names: StorageNames }[],
  present: StorageNames,
): StoredReference[] {
  let found: StoredReference[] = []
  for (const { sdl, names } of served) {
    try {
      found = layOut(loadModel(sdl, ''), { ...names, references: found }).names.references!
    } catch (error) {
      if (!(error instanceof SchemaMistakes)) throw error // this Twain no longer takes it
    }
  }
  return keptReferences(found, present)
}
