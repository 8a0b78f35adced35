// The names of the explanation of rights in GraphQL. A schema file may use them: then GraphQL has no such field, and REST has the path.

import type { Model } from '../model.ts'

export const accessField = 'rowAccess'
export const accessTypes = {
  access: 'RowAccess',
  viewer: 'RowAccessViewer',
  answer: 'RowAccessAnswer',
  rule: 'RowAccessRule',
} as const

export function hasAccessField({ types, resources, views, abstracts, operations }: Model): boolean {
  const collections = [...resources, ...views, ...abstracts]
  return (
    resources.length > 0 &&
    Object.values(accessTypes).every((name) => !types.has(name)) &&
    collections.every(({ single, list }) => single !== accessField && list !== accessField) &&
    operations.every(({ name }) => name !== accessField)
  )
}
