// The values of `@cost`, by the names that fields have in documents.

import type { Model } from '#model'
import { withAliases } from '#model/names'
import { connectionOf } from './root-fields.ts'
import { isToMany } from './sdl.ts'

/** By type, then by field. A field without an entry has the default cost of its kind. */
export type FieldCosts = ReadonlyMap<string, ReadonlyMap<string, number>>

export const noCosts: FieldCosts = new Map()

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
