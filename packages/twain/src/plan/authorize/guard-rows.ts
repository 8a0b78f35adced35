// The guards of the rows of a page or of groups, and of the row that has their list.

import type { Abstract, LinksField, ReferenceField, Resource, ToManyField } from '#model'
import type { Guard, PageRead, RowLocator, Where } from '../plan.ts'
import { all, always, any, isAlways } from './conditions.ts'
import type { ViewerRules } from './viewer-rules.ts'

/** The viewer must be able to read the owner of the list, and the list. */
export function guardWithin(within: PageRead['within'] & object, rules: ViewerRules): PageRead['within'] {
  const { field } = within
  const owner = all([rules.row(field.owner, 'READ'), rules.field(field, 'READ'), ...keyGuards(within, rules)])
  return { ...within, ...guardOf(owner) }
}

/** Absent if everything passes, so that rules that allow everything leave the plan unchanged. */
export function guardOf(guard: Guard): { guard?: Guard } {
  return isAlways(guard) ? {} : { guard }
}

/** READ of the rows. In the list of a readable row, the condition that the owner is readable is known to hold. It is dropped, so
 *  that the database does not evaluate it for each row. */
export function readable(
  of: Resource | Abstract,
  list: ToManyField | LinksField | null,
  isReadable: boolean,
  rules: ViewerRules,
): Where {
  const rule = list === null ? rules.rows(of, 'READ') : rules.referencedRows(list)
  return isReadable && list?.kind === 'many' ? withoutKnown(rule, list.via, rules.row(list.owner, 'READ')) : rule
}

/** The condition, if the row's `via` leads to a row for which `known` holds. */
function withoutKnown(rule: Where, via: ReferenceField, known: Where): Where {
  if (rule.kind === 'or') return any(rule.of.map((part) => withoutKnown(part, via, known)))
  if (rule.kind === 'and') return all(rule.of.map((part) => withoutKnown(part, via, known)))
  return rule.kind === 'through' && rule.field === via && rule.where === known ? always : rule
}

/** A key finds only rows on which the viewer may read its fields, like a filter. A reference to an unreadable row is null. */
export function keyGuards({ key = [] }: RowLocator, rules: ViewerRules): Guard[] {
  return key.flatMap(({ field }) => {
    const guard = rules.field(field, 'READ')
    if (field.kind === 'stored') return [guard]
    const target = rules.referencedRows(field)
    return isAlways(target) ? [guard] : [guard, { kind: 'through', field, where: target }]
  })
}
