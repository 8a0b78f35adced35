// Compares indexes and word search. Adding or removing an index is harmless, but existing rows may violate a new unique one, and
// requests find rows by a unique key.

import { searchedFields } from '../members-of.ts'
import type { Index, Resource } from '../model.ts'
import { uniqueKeysOf } from '../unique-keys.ts'
import type { Differences } from './differences.ts'

export function compareIndexes(before: Resource, after: Resource, found: Differences): void {
  for (const index of after.indexes) {
    if (before.indexes.some((other) => key(other) === key(index))) continue
    const path = pathOf(after, index)
    const isFree = index.fields.some((field) => !before.fields.has(field.name) && isNullInOldRows(field))
    if (index.unique && !isFree) {
      const message = `${path} is unique now, and existing rows may have equal values`
      found.breaking(path, message, { affects: 'writers', rows: 'unique' }, 'Remove @unique.')
    } else {
      found.additive(path, `${index.unique ? 'unique ' : ''}index on ${path} is new`)
    }
  }
  for (const index of before.indexes) {
    if (after.indexes.some((other) => key(other) === key(index))) continue
    const path = pathOf(before, index)
    if (isKeyInUse(index, before, after)) {
      const message = `${path} is no longer unique, and requests by this key fail`
      found.breaking(path, message, { affects: 'clients' }, 'Put @unique back.')
    } else {
      found.additive(path, `${index.unique ? 'unique ' : ''}index on ${path} was removed`)
    }
  }
}

/** Whether clients may still find rows by it: fields that are gone or deprecated are compared as fields. */
function isKeyInUse({ unique, fields }: Index, before: Resource, after: Resource): boolean {
  if (!unique || !uniqueKeysOf(before).some((one) => one.fields === fields)) return false
  return fields.every(({ name, deprecated }) => after.fields.has(name) && deprecated === null)
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

/** Searching more or fewer fields changes the results, not the request. Without any searched field, the argument itself is
 *  removed. */
export function compareSearches(before: Resource, after: Resource, found: Differences): void {
  const was = searchedFields(before).map(({ name }) => name)
  const is = searchedFields(after).map(({ name }) => name)
  for (const name of is)
    if (!was.includes(name)) found.additive(`${after.name}.${name}`, `${after.name}.${name} is searched now`)
  const removed = was.filter((name) => !is.includes(name))
  if (was.length > 0 && is.length === 0) {
    const hint = `Put @search back on ${removed.join(' or ')}.`
    found.breaking(before.name, `${before.path} can't be searched any more`, { affects: 'readers' }, hint)
    return
  }
  for (const name of removed) found.additive(`${before.name}.${name}`, `${before.name}.${name} is no longer searched`)
}
