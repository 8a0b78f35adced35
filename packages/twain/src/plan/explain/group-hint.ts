// The index that would help the database with groups, for the slow-query log.

import type { ReferenceField, Resource, StoredField } from '#model'
import type { GroupRead, Plan, Where } from '../plan.ts'
import { visitPlan } from '../visit-plan.ts'

type IndexedField = StoredField | ReferenceField

/** Null: the plan has no groups, or an index serves them, or no index would. */
export function groupHint(plan: Plan): string | null {
  const hints = new Set<string>()
  visitPlan(plan, {
    groups(read) {
      const hint = hintOf(read)
      if (hint !== null) hints.add(hint)
    },
  })
  return hints.size === 0 ? null : [...hints].join(' ')
}

/** First what the filter fixes, then what the rows are grouped by: the database reads the groups one after another. */
function hintOf({ of, where, by }: GroupRead): string | null {
  if (of.kind !== 'resource' || of.view !== undefined) return null
  const fixed = fixedFields(where)
  const fields = new Set<IndexedField>(fixed)
  for (const { target, part } of by ?? []) {
    const [step] = target.through
    if (step === undefined && part === null) fields.add(target.field)
  }
  const wanted = [...fields].filter(({ owner }) => owner === of)
  const [first, ...others] = wanted
  if (first === undefined || isServed(of, wanted)) return null
  const names = others.map(({ name }) => `"${name}"`).join(', ')
  const directive = others.length === 0 ? '@index' : `@index(with: [${names}])`
  return `An index would help the groups of ${of.list}: ${directive} on ${of.name}.${first.name}.`
}

/** The fields that every row of the result has the same value in, or one of a few. */
function fixedFields(where: Where | null): IndexedField[] {
  if (where === null) return []
  switch (where.kind) {
    case 'and':
      return where.of.flatMap(fixedFields)
    case 'compare': {
      const { target, op } = where
      const isWhole = target.inside.length === 0 && target.json === undefined
      return isWhole && (op === 'eq' || op === 'in') ? [target.field] : []
    }
    default:
      return []
  }
}

/** Whether an index begins with these fields, in any order. */
function isServed({ indexes }: Resource, wanted: readonly IndexedField[]): boolean {
  const isWanted = (field: IndexedField) => wanted.includes(field)
  return indexes.some(({ fields }) => fields.length >= wanted.length && fields.slice(0, wanted.length).every(isWanted))
}
