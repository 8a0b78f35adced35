// The values of `@cost`, and the fields with a page size, by the names that they have in documents.

import { type Model, servedResources } from '#model'
import { withAliases } from '#model/names'
import { connectionOf, type RootFields } from './root-fields.ts'
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
}

export const noWeights: FieldWeights = { costs: new Map(), pages: new Map() }

export function pageFields(model: Model, { query }: Pick<RootFields, 'query'>): PageFields {
  const pages = new Map<string, Map<string, PageArgument>>()
  const roots = new Map<string, PageArgument>()
  for (const [name, { kind }] of query) if (kind !== 'one') roots.set(name, kind === 'list' ? 'limit' : 'first')
  pages.set('Query', roots)
  for (const { name: type, fields } of [...servedResources(model), ...model.abstracts]) {
    const lists = withAliases(fields.values()).filter(isToMany)
    const named = lists.flatMap(({ name }): [string, PageArgument][] => [
      [name, 'limit'],
      [connectionOf(name), 'first'],
    ])
    if (named.length > 0) pages.set(type, new Map(named))
  }
  return pages
}

export function fieldCosts({ resources, abstracts, values, operations }: Model): FieldCosts {
  const costs = new Map<string, Map<string, number>>()
  const add = (type: string, name: string, cost: number | undefined) => {
    if (cost === undefined) return
    const ofType = costs.get(type) ?? new Map<string, number>()
    costs.set(type, ofType.set(name, cost))
  }
  for (const { name, fields, computed } of [...resources, ...abstracts]) {
    for (const field of withAliases(fields.values())) {
      add(name, field.name, field.cost)
      if (isToMany(field)) add(name, connectionOf(field.name), field.cost)
    }
    for (const field of withAliases(computed.values())) add(name, field.name, field.cost)
  }
  for (const { name, fields } of values) {
    for (const field of withAliases(fields.values())) add(name, field.name, field.cost)
  }
  for (const { root, name, cost } of operations) add(root, name, cost)
  return costs
}
