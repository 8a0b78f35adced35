// The names of the explanation of rights in GraphQL. A schema file may use them: then GraphQL has no such field, and REST has the path.

import type { Model } from '../model.ts'
import { areNamesFree } from './free-names.ts'

export const accessField = 'rowAccess'
export const accessTypes = {
  access: 'RowAccess',
  viewer: 'RowAccessViewer',
  answer: 'RowAccessAnswer',
  rule: 'RowAccessRule',
} as const

export function hasAccessField(model: Model): boolean {
  return areNamesFree(model, [accessField], Object.values(accessTypes))
}
