// The values of `@cost` and of our own expensive fields, and the fields with a page size, by the names that they have in documents.

import { type Model, servedResources, weights } from '#model'
import {
  accessField,
  aggregateFields,
  hasAccessField,
  hasMatrixField,
  hasMessageField,
  hasMonitorFields,
  hasSchemaFields,
  matrixField,
  messageField,
  monitorFields,
  schemaFields,
  withAliases,
} from '#model/names'
import { hasHistory } from '#plan/build'
import { connectionOf, type QueryRootField, type RootFields } from './root-fields.ts'
import { isToMany } from './sdl.ts'

/** By type, then by field. A field without an entry has the default cost of its kind. */
export type FieldCosts = ReadonlyMap<string, ReadonlyMap<string, number>>

/** By type, then by field: the argument with the page size. Only lists and connections of rows have one. */
export type PageFields = ReadonlyMap<string, ReadonlyMap<string, PageArgument>>

export type PageArgument = 'limit' | 'first'

/** What the fields of documents weigh. */
export interface FieldWeights {
  costs: FieldCosts
  pages: PageFields
  /** By type, the fields that are aggregates: each costs what the store visits, beside what it returns. */
  aggregates: ReadonlyMap<string, ReadonlySet<string>>
}

export const noWeights: FieldWeights = { costs: new Map(), pages: new Map(), aggregates: new Map() }

export function pageFields(
  model: Model,
  { query, export: exported }: Pick<RootFields, 'query' | 'export'>,
): PageFields {
  const pages = new Map<string, Map<string, PageArgument>>()
  const roots = new Map<string, PageArgument>()
  for (const [name, { kind }] of query) {
    const argument = pageArguments[kind]
    if (argument !== null) roots.set(name, argument)
  }
  if (exported !== null) roots.set(exported.field, 'first')
  pages.set('Query', roots)
  for (const { name: type, fields } of [...servedResources(model), ...model.abstracts]) {
    const lists = withAliases(fields.values()).filter(isToMany)
    const named = lists.flatMap(({ name }): [string, PageArgument][] => [
      [name, 'limit'],
      [connectionOf(name), 'first'],
      [aggregateFields(name).groups, 'limit'],
    ])
    if (named.length > 0) pages.set(type, new Map(named))
  }
  for (const { name: type } of model.resources.filter(hasHistory)) {
    pages.set(type, new Map([...(pages.get(type) ?? []), ['_changes', 'first']]))
  }
  return pages
}

const pageArguments: Readonly<Record<QueryRootField['kind'], PageArgument | null>> = {
  one: null,
  list: 'limit',
  connection: 'first',
  aggregate: null,
  groups: 'limit',
}

export function aggregateCosts(model: Model, { query }: Pick<RootFields, 'query'>): FieldWeights['aggregates'] {
  const roots = [...query].filter(([, { kind }]) => kind === 'aggregate' || kind === 'groups').map(([name]) => name)
  const found = new Map<string, ReadonlySet<string>>([['Query', new Set(roots)]])
  for (const { name: type, fields } of [...model.resources, ...model.abstracts]) {
    const lists = withAliases(fields.values()).filter(isToMany)
    const names = lists.flatMap(({ name }) => Object.values(aggregateFields(name)))
    if (names.length > 0) found.set(type, new Set(names))
  }
  return found
}

export function fieldCosts(model: Model): FieldCosts {
  const { resources, abstracts, values, operations } = model
  const costs = new Map<string, Map<string, number>>()
  const add = (type: string, name: string, cost: number | undefined) => {
    if (cost === undefined) return
    const ofType = costs.get(type) ?? new Map<string, number>()
    costs.set(type, ofType.set(name, cost))
  }
  for (const { name, fields, computed } of [...resources, ...abstracts]) {
    for (const field of withAliases(fields.values())) {
      add(name, field.name, field.cost)
      if (!isToMany(field)) continue
      add(name, connectionOf(field.name), field.cost)
      for (const aggregate of Object.values(aggregateFields(field.name))) add(name, aggregate, field.cost)
    }
    for (const field of withAliases(computed.values())) add(name, field.name, field.cost)
  }
  for (const { name, fields } of values) {
    for (const field of withAliases(fields.values())) add(name, field.name, field.cost)
  }
  for (const { root, name, cost } of operations) add(root, name, cost)
  if (hasAccessField(model)) add('Query', accessField, weights.explanation)
  if (hasMatrixField(model)) add('Query', matrixField, weights.explanation)
  if (hasMessageField(model)) add('Query', messageField, weights.scan)
  // The list multiplies it: the database explains each statement.
  if (hasMonitorFields(model))
    for (const name of [monitorFields.slowQueries, monitorFields.statements])
      add('Query', name, weights.explanation / weights.list)
  if (hasSchemaFields(model)) add('Query', schemaFields.changes, weights.explanation)
  return costs
}
