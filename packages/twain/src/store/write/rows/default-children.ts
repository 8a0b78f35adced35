// Children that the schema creates with a new row: `@default(value: [{user: VIEWER, role: OWNER}])` on a list.

import type { Json, ReferenceField, Resource, StoredField, ToManyField } from '#model'
import { checkValue } from '#plan'
import type { RowReference } from '../access/stored-row.ts'
import type { WriteState } from '../rules/write-state.ts'
import { constant, map, type QueryBatch } from '../steps/query-step.ts'
import type { JobField, JobRows } from '../steps/write-job.ts'
import { requireViewerRow, viewerRow } from './viewer-field.ts'

export interface NewDefaultChild {
  by: ToManyField
  set: JobField[]
}

/** The default children of a new row. Those that name the viewer need a viewer with an account. A list that the write
 *  sets gets no default children. */
export function defaultChildren(
  parent: Resource,
  id: string,
  lists: readonly JobRows[],
  state: WriteState,
): QueryBatch<NewDefaultChild[]> {
  const viewer = viewerRow(state)
  const made: NewDefaultChild[] = []
  let needsViewer = false
  for (const by of state.context.table(parent).defaultLists) {
    if (lists.some(({ field }) => field === by.name)) continue
    for (const row of by.defaultChildren) {
      const isViewers = [...row.values()].some((cell) => 'viewer' in cell)
      if (isViewers && viewer === null) continue
      needsViewer ||= isViewers
      const set = [...row].map(([field, cell]) =>
        jobField(
          field,
          'viewer' in cell ? formatReference(field as ReferenceField, viewer!) : canonical(field, cell.value),
        ),
      )
      made.push({ by, set: [parentReference(by, { type: parent.name, id }), ...set] })
    }
  }
  return needsViewer ? map(requireViewerRow(state), () => made) : constant(made)
}

export function parentReference({ via }: ToManyField, parent: RowReference): JobField {
  return jobField(via, formatReference(via, parent))
}

function jobField(field: StoredField | ReferenceField, value: unknown): JobField {
  return { field: field.name, value, merge: false }
}

/** The reference in the format of a write. */
function formatReference({ to }: ReferenceField, { type, id }: RowReference): string {
  return to.kind === 'abstract' ? `${type}:${id}` : id
}

function canonical(field: StoredField | ReferenceField, value: Json): unknown {
  return field.kind === 'reference' || value === null ? value : checkValue(field.type, value, field.name, [])
}
