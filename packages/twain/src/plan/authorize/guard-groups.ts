// Puts the access rules into groups. They are made of the rows that the viewer may read; a value that the viewer may not read on a
// row counts as null there. So nothing that is computed of the values can tell more than a list of the same rows would.

import type { Abstract, LinksField, Resource, ToManyField } from '#model'
import type { GroupCondition, GroupedField, GroupOrder, GroupRead, GroupSelection, Measure } from '../plan.ts'
import { all, always, isAlways } from './conditions.ts'
import { guardOf, guardWithin, readable } from './guard-rows.ts'
import { fieldGuard, guardWhere } from './guard-where.ts'
import type { ViewerRules } from './viewer-rules.ts'

/** `list` is the field whose rows are grouped, of a row that is known to be readable or not. */
export function guardGroups(
  read: GroupRead,
  rules: ViewerRules,
  list: ToManyField | LinksField | null,
  isReadable: boolean,
): GroupRead {
  const { of, within, by } = read
  const where = all([
    readable(of, list, isReadable, rules),
    read.where === null ? always : guardWhere(read.where, of, rules),
  ])
  return {
    ...read,
    within: within === null ? null : guardWithin(within, rules),
    where: isAlways(where) ? null : where,
    by: by?.map((key) => ({ ...key, target: guardTarget(key.target, of, rules) })) ?? null,
    having: read.having.map(
      (condition): GroupCondition => ({ ...condition, measure: guardMeasure(condition.measure, of, rules) }),
    ),
    order: read.order.map(
      (key): GroupOrder => (key.kind === 'key' ? key : { ...key, measure: guardMeasure(key.measure, of, rules) }),
    ),
    selections: read.selections.map((selection) => guardSelection(selection, of, rules)),
  }
}

function guardSelection(selection: GroupSelection, of: Resource | Abstract, rules: ViewerRules): GroupSelection {
  switch (selection.kind) {
    case 'measure':
      return { ...selection, measure: guardMeasure(selection.measure, of, rules) }
    case 'object':
      return { ...selection, selections: selection.selections.map((inner) => guardSelection(inner, of, rules)) }
    case 'constant':
    case 'key':
      return selection
  }
}

function guardMeasure(measure: Measure, of: Resource | Abstract, rules: ViewerRules): Measure {
  return measure.kind === 'count' ? measure : { ...measure, target: guardTarget(measure.target, of, rules) }
}

/** A reference leads to readable rows only. */
export function guardTarget(
  { through, field }: GroupedField,
  of: Resource | Abstract,
  rules: ViewerRules,
): GroupedField {
  let holder = of
  const steps = through.map((step) => {
    const { guard } = guardOf(fieldGuard(step.field, holder, rules))
    const { guard: rows } = guardOf(rules.referencedRows(step.field))
    holder = step.field.to
    return { field: step.field, ...(guard && { guard }), ...(rows && { rows }) }
  })
  return { through: steps, field, ...guardOf(fieldGuard(field, holder, rules)) }
}
