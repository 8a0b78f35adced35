// A read, held to the rules at each of its levels: rows that may not be read are not there, references to them are null,
// and a field that may not be read on a row is refused in its place.

import { unreachable } from '#base'
import {
  type Abstract,
  type Field,
  type InverseField,
  type LinksField,
  membersOf,
  type ReferenceField,
  type Resource,
  type ToManyField,
} from '#model'
import type {
  ConnectionSelection,
  Guard,
  OrderKey,
  PageRead,
  ReadPlan,
  RowRead,
  Selection,
  TypeSelection,
  Where,
} from '../plan.ts'
import { allowedTransitions } from './allowed-transitions.ts'
import { all, always, any, isAlways } from './conditions.ts'
import { fieldGuard, guardWhere } from './guard-where.ts'
import type { ViewerRules } from './viewer-rules.ts'

export function guardRead(read: ReadPlan, rules: ViewerRules): ReadPlan {
  switch (read.kind) {
    case 'one':
      return guardRow(read, rules)
    case 'many':
      return guardPage(read, rules, read.within?.field ?? null, true)
    default:
      return unreachable(read)
  }
}

function guardRow(read: RowRead, rules: ViewerRules): RowRead {
  return {
    ...read,
    ...guardOf(rules.row(read.of, 'READ')),
    selections: guardSelections(read.selections, read.of, rules, root),
  }
}

const root: RowContext = { isReadable: true, reachedBy: null }

/** `list`: the field whose list this is, of a row that is readable or not. */
function guardPage(
  read: PageRead,
  rules: ViewerRules,
  list: ToManyField | LinksField | null,
  isReadable: boolean,
): PageRead {
  const { of, within, shape } = read
  const where = all([
    readable(of, list, isReadable, rules),
    read.where === null ? always : guardWhere(read.where, of, rules),
  ])
  return {
    ...read,
    within: within === null ? null : guardWithin(within, rules),
    where: isAlways(where) ? null : where,
    order: read.order.map((key) => guardKey(key, of, rules)),
    shape:
      shape.kind === 'list'
        ? { kind: 'list', types: guardPageTypes(shape.types, list, rules) }
        : {
            kind: 'connection',
            selections: shape.selections.map((selection) => guardConnection(selection, list, rules)),
          },
  }
}

/** The owner of a list must be readable, and so must its list. */
function guardWithin(within: PageRead['within'] & object, rules: ViewerRules): PageRead['within'] {
  const { field } = within
  return { ...within, ...guardOf(all([rules.row(field.owner, 'READ'), rules.field(field, 'READ')])) }
}

function guardKey(key: OrderKey, of: Resource | Abstract, rules: ViewerRules): OrderKey {
  if (key.kind === 'type') return key
  return { ...key, ...guardOf(fieldGuard(key.field, of, rules)) }
}

function guardConnection(selection: ConnectionSelection, list: Field | null, rules: ViewerRules): ConnectionSelection {
  if (selection.kind !== 'edges') return selection
  const edges = selection.selections.map((edge) =>
    edge.kind === 'node' ? { ...edge, types: guardPageTypes(edge.types, list, rules) } : edge,
  )
  return { ...selection, selections: edges }
}

/** The rows of a page are guarded by its filter already. */
function guardPageTypes(cases: readonly TypeSelection[], holder: Field | null, rules: ViewerRules): TypeSelection[] {
  return cases.map(({ of, selections }) => ({
    of,
    selections: guardSelections(selections, of, rules, { isReadable: true, reachedBy: holder }),
  }))
}

/** Rows that the field refers to. */
function guardReferencedTypes(
  cases: readonly TypeSelection[],
  field: ReferenceField | InverseField,
  rules: ViewerRules,
): TypeSelection[] {
  return cases.map(({ of, selections }) => ({
    of,
    ...guardOf(readableBehind(field, of, rules)),
    selections: guardSelections(selections, of, rules, { isReadable: true, reachedBy: field }),
  }))
}

/** READ of a row of this type that the field leads to. */
function readableBehind(field: { to: Resource | Abstract }, of: Resource, rules: ViewerRules): Guard {
  return field.to === of ? rules.referencedRows(field) : rules.row(of, 'READ')
}

/** What is known of a row whose members are picked. */
export interface RowContext {
  /** The row itself has passed READ; what a write answers has not. */
  isReadable: boolean
  /** The field by which it was reached; null at the root. */
  reachedBy: Field | null
}

export function guardSelections(
  selections: readonly Selection[],
  of: Resource,
  rules: ViewerRules,
  row: RowContext,
): Selection[] {
  return selections.map((selection) => guardSelection(selection, of, rules, row))
}

function guardSelection(selection: Selection, of: Resource, rules: ViewerRules, row: RowContext): Selection {
  switch (selection.kind) {
    case 'constant':
    case 'version':
      return selection
    case 'url':
      return rules.isFilePublic(row.reachedBy) ? selection : { ...selection, signed: true }
    case 'field':
    case 'value':
      return { ...selection, ...guardOf(fieldGuard(selection.field, of, rules)) }
    case 'id':
      return { ...selection, ...guardOf(fieldGuard(selection.field, of, rules)), ...targetsOf(selection.field, rules) }
    case 'transitions':
      return {
        ...selection,
        ...guardOf(fieldGuard(selection.field, of, rules)),
        open: allowedTransitions(selection.field, row.isReadable ? always : rules.row(of, 'READ'), rules),
      }
    case 'one':
      return {
        ...selection,
        ...guardOf(fieldGuard(selection.field, of, rules)),
        types: guardReferencedTypes(selection.types, selection.field, rules),
      }
    case 'many': {
      const read = guardPage(selection.read, rules, selection.field, row.isReadable)
      return { ...selection, ...guardOf(fieldGuard(selection.field, of, rules)), read }
    }
    case 'computed':
      // What own code is given of the row is held to the rules as if its viewer had asked for it.
      return {
        ...selection,
        ...guardOf(rules.field(selection.field, 'READ')),
        from: guardSelections(selection.from, of, rules, row),
      }
    default:
      return unreachable(selection)
  }
}

function targetsOf(field: ReferenceField | InverseField, rules: ViewerRules): { targets?: TypeSelection[] } {
  const guards = membersOf(field.to).map((of) => [of, readableBehind(field, of, rules)] as const)
  if (guards.every(([, guard]) => isAlways(guard))) return {}
  return { targets: guards.map(([of, guard]) => ({ of, ...guardOf(guard), selections: [] })) }
}

/** Absent where everything passes, so that a plan without rules stays the plan that it was. */
function guardOf(guard: Guard): { guard?: Guard } {
  return isAlways(guard) ? {} : { guard }
}

/** READ of the rows. Who may see a row because they may see its owner may see it in the owner's list: that the owner is
 *  readable is known there, and is not asked again for each row. */
function readable(
  of: Resource | Abstract,
  list: ToManyField | LinksField | null,
  isReadable: boolean,
  rules: ViewerRules,
): Where {
  const rule = list === null ? rules.rows(of, 'READ') : rules.referencedRows(list)
  return isReadable && list?.kind === 'many' ? withoutKnown(rule, list.via, rules.row(list.owner, 'READ')) : rule
}

/** The condition, given that the row's `via` leads to a row for which `known` holds. */
function withoutKnown(rule: Where, via: ReferenceField, known: Where): Where {
  if (rule.kind === 'or') return any(rule.of.map((part) => withoutKnown(part, via, known)))
  if (rule.kind === 'and') return all(rule.of.map((part) => withoutKnown(part, via, known)))
  return rule.kind === 'through' && rule.field === via && rule.where === known ? always : rule
}
