// The names of the export of an account in the APIs. A schema file may use them: then the APIs have no export.

import type { Account, Model } from '../model.ts'
import { kebabCase } from './case.ts'

export const exportPath = 'export'

export interface ExportNames {
  /** Of the field of `Query`. */
  field: string
  connection: string
  edge: string
}

export function exportNames({ resource }: Pick<Account, 'resource'>): ExportNames {
  const type = `${resource.name}Export`
  return { field: `${resource.single}Export`, connection: `${type}Connection`, edge: `${type}Edge` }
}

export function hasExport({ account, types, resources, views, abstracts, operations }: Model): boolean {
  if (account === null) return false
  const { field, connection, edge } = exportNames(account)
  const taken = [`${account.resource.name}Export`, connection, edge]
  return (
    taken.every((name) => !types.has(name)) &&
    operations.every(({ name }) => name !== field) &&
    [...resources, ...views, ...abstracts].every(({ path }) => path !== kebabCase(field))
  )
}
