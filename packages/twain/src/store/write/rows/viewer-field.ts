// References that the schema sets to the viewer: `@auto(set: VIEWER)` always, `@default(value: VIEWER)` if a create omits
// the field. A viewer without an account (an operator, a machine) sets the field itself.

import { ApiError, type Problem } from '#base'
import type { Field, ReferenceField } from '#model'
import type { RowReference } from '../access/stored-row.ts'
import type { WriteState } from '../rules/write-state.ts'
import { evaluateChecks, map, ok, type QueryBatch } from '../steps/query-step.ts'
import type { JobField } from '../steps/write-job.ts'

const isSetToViewer = 'is set by the server to who is signed in; leave it out.'

export function isViewerField(field: Field): field is ReferenceField {
  return field.kind === 'reference' && (field.auto === 'VIEWER' || field.defaultsToViewer)
}

/** The account of the viewer, or null if the value of the write counts. */
export function viewerReference(
  field: ReferenceField,
  inputs: JobField | undefined,
  state: WriteState,
  problems: Problem[],
): RowReference | null {
  const viewer = viewerRow(state)
  if (viewer === null) {
    const isAnonymous = !state.viewer.authenticated && !state.rules.isUnrestricted
    if (isAnonymous && field.auto !== null && (inputs?.value ?? null) !== null) {
      problems.push({ path: field.name, code: 'READONLY', message: isSetToViewer })
    }
    return null
  }
  if (field.auto === null) return inputs === undefined ? viewer : null
  const { value = null } = inputs ?? {}
  if (value !== null && value !== viewer.id && value !== `${viewer.type}:${viewer.id}`) {
    problems.push({ path: field.name, code: 'READONLY', message: isSetToViewer })
  }
  return viewer
}

/** The account row of the viewer; null without an account. */
export function viewerRow({ viewer, context }: WriteState): RowReference | null {
  return viewer.account === null ? null : { type: context.account!.resource.name, id: viewer.account }
}

/** A token stays valid for a moment after its account is deleted. */
export function requireViewerRow({ viewer, context }: WriteState): QueryBatch<void> {
  if (viewer.account === null) return ok
  const isThere = evaluateChecks([context.table(context.account!.resource).has(viewer.account)], 'row')
  return map(isThere, ([there]) => {
    if (there!) return
    throw new ApiError('UNAUTHENTICATED', 'The account of this token was deleted.', {
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    })
  })
}
