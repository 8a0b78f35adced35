// Compares word search. Searching more or fewer fields changes the results, not the request. Without any searched field, the
// argument itself is gone.

import type { Resource } from '../model.ts'
import { searchedFields } from '../searched-fields.ts'
import type { Differences } from './differences.ts'

export function compareSearches(before: Resource, after: Resource, found: Differences): void {
  const was = searchedFields(before).map(({ name }) => name)
  const is = searchedFields(after).map(({ name }) => name)
  for (const name of is)
    if (!was.includes(name)) found.additive(`${after.name}.${name}`, `${after.name}.${name} is searched now`)
  const gone = was.filter((name) => !is.includes(name))
  if (was.length > 0 && is.length === 0) {
    const cure = `Put @search back on ${gone.join(' or ')}.`
    found.breaking(before.name, `${before.path} can't be searched any more`, { affects: 'readers' }, cure)
    return
  }
  for (const name of gone) found.additive(`${before.name}.${name}`, `${before.name}.${name} is no longer searched`)
}
