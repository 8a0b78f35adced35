// Unique fields that some viewers may write but not read. A conflict (409) reveals that a value is taken, so they can guess
// values. Uniqueness can't be enforced otherwise, so the start warns the author of the schema file.

import type { Field, Model, Resource } from '#model'
import { isAlways, isNever } from '../authorize/conditions.ts'
import type { ViewerRules } from '../authorize/viewer-rules.ts'
import { rulesFor, type ViewerKind, viewerKinds } from './access-matrix.ts'

export interface GuessableField {
  field: Field
  /** Who may write it, or a field that it is unique together with, and can't read it on every row. */
  by: ViewerKind[]
}

/** Without the login: sign-up must reveal that it is taken. */
export function guessableFields(model: Model): GuessableField[] {
  const columns = viewerKinds(model).map((kind) => ({ kind, rules: rulesFor(kind, model) }))
  return model.resources.flatMap((of) => {
    const fields = [...of.fields.values()].filter((field) => field !== model.account?.login)
    return fields.flatMap((field) => {
      const groups = of.indexes.filter((index) => index.unique && index.fields.some((one) => one === field))
      const by = columns.filter(
        ({ rules }) =>
          !isAlways(rules.field(field, 'READ')) && groups.some((group) => mayWrite(of, group.fields, rules)),
      )
      return by.length === 0 ? [] : [{ field, by: by.map(({ kind }) => kind) }]
    })
  })
}

function mayWrite(of: Resource, fields: readonly Field[], rules: ViewerRules): boolean {
  return (['CREATE', 'UPDATE'] as const).some(
    (action) => !isNever(rules.row(of, action)) && fields.some((field) => !isNever(rules.field(field, action))),
  )
}
