// Rows that the contract makes along with a new one: `@default(value: [{user: VIEWER, role: OWNER}])` on a list of children.

import type { Json, ReferenceField, Resource, StoredField, ToManyField } from '#model'
import { checkValue } from '#plan'
import type { Target } from '../access/stored-row.ts'
import type { Writing } from '../rules/write-state.ts'
import { known, type Look, map } from '../steps/query-step.ts'
import type { JobField, JobRows } from '../steps/write-job.ts'
import { requireViewerRow, viewerRow } from './viewer-field.ts'

export interface Made {
  by: ToManyField
  set: JobField[]
}

/** The children that a new row gets. Those that are about the viewer need one who has an account; a list that the write
 *  itself gives is as it is given. */
export function madeAlong(parent: Resource, id: string, lists: readonly JobRows[], writing: Writing): Look<Made[]> {
  const viewer = viewerRow(writing)
  const made: Made[] = []
  let needsViewer = false
  for (const by of writing.context.table(parent).makers) {
    if (lists.some(({ field }) => field === by.name)) continue
    for (const row of by.defaultChildren) {
      const isViewers = [...row.values()].some((cell) => 'viewer' in cell)
      if (isViewers && viewer === null) continue
      needsViewer ||= isViewers
      const set = [...row].map(([field, cell]) =>
        jobField(field, 'viewer' in cell ? spell(field as ReferenceField, viewer!) : canonical(field, cell.value)),
      )
      made.push({ by, set: [referenceBack(by, { type: parent.name, id }), ...set] })
    }
  }
  return needsViewer ? map(requireViewerRow(writing), () => made) : known(made)
}

export function referenceBack({ via }: ToManyField, parent: Target): JobField {
  return jobField(via, spell(via, parent))
}

function jobField(field: StoredField | ReferenceField, value: unknown): JobField {
  return { field: field.name, value, merge: false }
}

/** A reference as a write spells it. */
function spell({ to }: ReferenceField, { type, id }: Target): string {
  return to.kind === 'abstract' ? `${type}:${id}` : id
}

function canonical(field: StoredField | ReferenceField, value: Json): unknown {
  return field.kind === 'reference' || value === null ? value : checkValue(field.type, value, field.name, [])
}
