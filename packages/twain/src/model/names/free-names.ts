// Whether names of the API that serve administrators are free: a schema file may use them, and then it has them.

import type { Model } from '../model.ts'

export function areNamesFree(
  { types, resources, views, abstracts, operations }: Model,
  fields: readonly string[],
  typeNames: readonly string[],
): boolean {
  const collections = [...resources, ...views, ...abstracts]
  return (
    resources.length > 0 &&
    typeNames.every((name) => !types.has(name)) &&
    collections.every(({ single, list }) => !fields.includes(single) && !fields.includes(list)) &&
    operations.every(({ name }) => !fields.includes(name))
  )
}
