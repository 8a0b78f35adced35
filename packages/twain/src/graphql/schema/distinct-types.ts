// `distinct` of lists: an enum of fields for each collection.

import type { Model } from '#model'
import { distinctType, withAliases } from '#model/names'
import type { Visibility } from '#plan/build'
import { block, deprecation, described, visibleDistinct } from './sdl.ts'

export function distinctTypes(model: Model, visibility: Visibility): string[] {
  return [...model.resources, ...model.views, ...model.abstracts].flatMap((of) => {
    const fields = visibleDistinct(of, visibility)
    if (fields.length === 0) return []
    const lines = withAliases(fields).map(({ name, deprecated }) => `${name}${deprecation(deprecated)}`)
    const text = `A field that tells rows of ${of.path} apart, for \`distinct\`.`
    return [described(text, block(`enum ${distinctType(of)}`, lines))]
  })
}
