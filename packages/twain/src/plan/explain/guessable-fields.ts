// Unique fields that someone may write and not read: whoever writes the value that another row has is told so (409), and so
// can try values until one is right. Uniqueness can't be kept otherwise, so the author of the file is told.

import type { Field, Model, Resource } from '#model'
import { isAlways, isNever } from '../authorize/conditions.ts'
import type { ViewerRules } from '../authorize/viewer-rules.ts'
import { rulesFor, type ViewerKind, viewerKinds } from './access-matrix.ts'

export interface GuessableField {
  field: Field
  /** Those who may write it, or what it is unique together with, and can't read it on every row. */
  by: ViewerKind[]
}

/** A login is none: that it is taken must be told to who signs up. */
export function guessableFields(model: Model): GuessableField[] {
  const asked = viewerKinds(model).map((kind) => ({ kind, rules: rulesFor(kind, model) }))
  return model.resources.flatMap((of) => {
    const fields = [...of.fields.values()].filter((field) => field !== model.account?.login)
    return fields.flatMap((field) => {
      const groups = of.indexes.filter((index) => index.unique && index.fields.some((one) => one === field))
      const by = asked.filter(
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
