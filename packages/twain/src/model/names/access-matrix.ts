// The names of the access matrix in GraphQL. A schema file may use them: then GraphQL has no such field, and REST has the path.

import type { Model } from '../model.ts'
import { areNamesFree } from './free-names.ts'

export const matrixField = 'accessMatrix'
export const matrixTypes = { matrix: 'AccessMatrix', entry: 'AccessMatrixEntry', rule: 'AccessMatrixRule' } as const

export function hasMatrixField(model: Model): boolean {
  return areNamesFree(model, [matrixField], Object.values(matrixTypes))
}
