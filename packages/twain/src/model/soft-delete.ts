// What `@softDelete` means for the types of a schema.

import { membersOf } from './members-of.ts'
import type { Resource } from './model.ts'

/** Whether a DELETE of a row of the type hides it. */
function isSoftDeleted({ softDelete }: Resource): boolean {
  return softDelete !== undefined
}

/** The types whose rows may be hidden: those with `@softDelete`, and those whose rows go along by CASCADE. */
export function hiddenTypes(resources: readonly Resource[]): ReadonlySet<Resource> {
  const hidden = new Set(resources.filter(isSoftDeleted))
  // The iteration of a Set continues over items that are added meanwhile.
  for (const target of hidden) {
    for (const resource of resources) if (goesAlong(resource, target)) hidden.add(resource)
  }
  return hidden
}

function goesAlong({ fields }: Resource, target: Resource): boolean {
  return [...fields.values()].some(
    (field) => field.kind === 'reference' && field.onDelete === 'CASCADE' && membersOf(field.to).includes(target),
  )
}
