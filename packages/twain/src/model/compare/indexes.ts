// Compares indexes. Adding or removing one is harmless, but existing rows may violate a new unique index.

import type { Index, Resource } from '../model.ts'
import type { Differences } from './differences.ts'

export function compareIndexes(before: Resource, after: Resource, found: Differences): void {
  for (const index of after.indexes) {
    if (before.indexes.some((other) => key(other) === key(index))) continue
    const path = pathOf(after, index)
    const isFree = index.fields.some((field) => !before.fields.has(field.name) && isNullInOldRows(field))
    if (index.unique && !isFree) {
      const message = `${path} is unique now, and the rows that are there may not be`
      found.breaking(path, message, { affects: 'writers', rows: 'unique' }, 'Take the @unique away.')
    } else {
      found.additive(path, `${index.unique ? 'unique ' : ''}index on ${path} is new`)
    }
  }
  for (const index of before.indexes) {
    if (after.indexes.some((other) => key(other) === key(index))) continue
    const path = pathOf(before, index)
    found.additive(path, `${index.unique ? 'unique ' : ''}index on ${path} is gone`)
  }
}

/** All existing rows get the same default, or the same time from the server. Nulls never equal each other. */
function isNullInOldRows(field: Index['fields'][number]): boolean {
  return field.default === undefined && (field.kind !== 'stored' || field.auto === null)
}

function key({ unique, fields }: Index): string {
  return `${unique} ${fields.map(({ name }) => name).join(' ')}`
}

function pathOf({ name }: Resource, { fields }: Index): string {
  return `${name}.${fields.map((field) => field.name).join('+')}`
}
