// Puts the access rules into each level of a read or a subscription: unreadable rows are absent, references to them are null, and a field that
// the viewer may not read on a row is a marker.

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
  ChangedField,
  ConnectionSelection,
  Guard,
  HistoryRead,
  OrderKey,
  OrderStep,
  PageRead,
  ReadPlan,
  Reversion,
  RowRead,
  Selection,
  SubscriptionPlan,
  TypeSelection,
  Where,
} from '../plan.ts'
import { allowedTransitions } from './allowed-transitions.ts'
import { all, always, isAlways, isNever } from './conditions.ts'
import { guardGroups, guardTarget } from './guard-groups.ts'
import { guardOf, guardWithin, keyGuards, readable } from './guard-rows.ts'
import { fieldGuard, guardWhere } from './guard-where.ts'
import type { ViewerRules } from './viewer-rules.ts'

export function guardRead(read: ReadPlan, rules: ViewerRules): ReadPlan {
  switch (read.kind) {
    case 'one':
      return guardRow(read, rules)
    case 'many':
      return guardPage(read, rules, read.within?.field ?? null, true)
    case 'groups':
      return guardGroups(read, rules, read.within?.field ?? null, true)
    default:
      return unreachable(read)
  }
}

function guardRow(read: RowRead, rules: ViewerRules): RowRead {
  return {
    ...read,
    ...guardOf(all([rules.row(read.of, 'READ'), ...keyGuards(read, rules)])),
    selections: guardSelections(read.selections, read.of, rules, root),
  }
}

const root: RowContext = { isReadable: true, reachedBy: null }

/** `list` is the field whose list this is, of a row that is known to be readable or not. */
function guardPage(
  read: PageRead,
  rules: ViewerRules,
  list: ToManyField | LinksField | null,
  isReadable: boolean,
): PageRead {
  const { owner, ...rest } = read
  const { of, within, shape } = read
  const where = all([
    readable(of, list, isReadable, rules),
    owner === 'viewer' ? rules.owned(of) : always,
    read.where === null ? always : guardWhere(read.where, of, rules),
  ])
  return {
    ...rest,
    within: within === null ? null : guardWithin(within, rules),
    ...(read.deleted && { deleted: { ...read.deleted, ...guardOf(rules.rows(of, 'DELETE')) } }),
    where: isAlways(where) ? null : where,
    order: read.order.map((key) => guardKey(key, of, rules)),
    ...(read.distinct && { distinct: read.distinct.map((target) => guardTarget(target, of, rules)) }),
    shape:
      shape.kind === 'list'
        ? { ...shape, types: guardPageTypes(shape.types, list, rules) }
        : {
            kind: 'connection',
            selections: shape.selections.map((selection) => guardConnection(selection, list, rules)),
          },
  }
}

function guardKey(key: OrderKey, of: Resource | Abstract, rules: ViewerRules): OrderKey {
  if (key.kind === 'type') return key
  if (key.kind === 'field') return { ...key, ...guardOf(fieldGuard(key.field, of, rules)) }
  const end = key.path.at(-1)?.field.to ?? of
  const guarded = { ...key, path: guardSteps(key.path, of, rules), ...guardOf(fieldGuard(key.field, end, rules)) }
  return guarded.kind === 'count' ? { ...guarded, ...readableRows(guarded.field, rules) } : guarded
}

function guardSteps(path: readonly OrderStep[], of: Resource | Abstract, rules: ViewerRules): OrderStep[] {
  return path.map(({ field }, index) => {
    const from = path[index - 1]?.field.to ?? of
    return { field, ...guardOf(fieldGuard(field, from, rules)), ...readableRows(field, rules) }
  })
}

/** READ of the rows that the field leads to, like `guardOf`. */
function readableRows(field: { to: Resource | Abstract }, rules: ViewerRules): { rows?: Guard } {
  const rows = rules.referencedRows(field)
  return isAlways(rows) ? {} : { rows }
}

function guardConnection(selection: ConnectionSelection, list: Field | null, rules: ViewerRules): ConnectionSelection {
  if (selection.kind !== 'edges') return selection
  const edges = selection.selections.map((edge) =>
    edge.kind === 'node' ? { ...edge, types: guardPageTypes(edge.types, list, rules) } : edge,
  )
  return { ...selection, selections: edges }
}

/** The filter of a page already guards its rows. */
function guardPageTypes(cases: readonly TypeSelection[], holder: Field | null, rules: ViewerRules): TypeSelection[] {
  return cases.map(({ of, selections }) => ({
    of,
    selections: guardSelections(selections, of, rules, { isReadable: true, reachedBy: holder }),
  }))
}

/** The rows that the field refers to. */
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

/** READ of the rows of this type that the field leads to. */
function readableBehind(field: { to: Resource | Abstract }, of: Resource, rules: ViewerRules): Guard {
  return field.to === of ? rules.referencedRows(field) : rules.row(of, 'READ')
}

/** What is known of a row whose members are selected. */
export interface RowContext {
  /** The row has passed READ; the row of a write has not. */
  isReadable: boolean
  /** The field that leads to the row; null at the root. */
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
    case 'globalId': // viewers who may read a row know its id
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
    case 'groups': {
      const read = guardGroups(selection.read, rules, selection.field, row.isReadable)
      return { ...selection, ...guardOf(fieldGuard(selection.field, of, rules)), read }
    }
    case 'changes':
      return { ...selection, read: guardHistory(selection.read, rules, row) }
    case 'computed':
      // The rules apply to the inputs of custom code as if the viewer had selected them.
      return {
        ...selection,
        ...guardOf(rules.field(selection.field, 'READ')),
        from: guardSelections(selection.from, of, rules, row),
      }
    default:
      return unreachable(selection)
  }
}

/** An entry is visible if the viewer may read the row before and after the change, and as it is now. */
function guardHistory(read: HistoryRead, rules: ViewerRules, { isReadable }: RowContext): HistoryRead {
  const { of } = read
  const guard = rules.row(of, 'READ')
  const audit = rules.audit(of)
  return {
    ...read,
    fields: read.fields.map((field) => guardChangedField(field, of, rules)),
    ...guardOf(guard),
    ...(isReadable || isAlways(guard) ? {} : { now: guard }),
    ...(isNever(audit) ? {} : { audit }),
  }
}

/** Who may read a field now and in an earlier version may put its value back, if the rules of UPDATE allow it. */
export function guardReversion(
  fields: readonly ChangedField[],
  of: Resource,
  rules: ViewerRules,
): Pick<Reversion, 'fields' | 'guard'> {
  return {
    fields: fields.map((field) => guardChangedField(field, of, rules)),
    ...guardOf(rules.row(of, 'READ')),
  }
}

function guardChangedField(changed: ChangedField, of: Resource, rules: ViewerRules): ChangedField {
  if (changed.kind === 'links') {
    const { field } = changed
    return { ...changed, ...guardOf(fieldGuard(field, of, rules)), ...targetsOf(field, rules) }
  }
  const { selection } = changed
  const guarded = { ...selection, ...guardOf(fieldGuard(selection.field, of, rules)) }
  return {
    ...changed,
    selection: guarded.kind === 'id' ? { ...guarded, ...targetsOf(guarded.field, rules) } : guarded,
  }
}

function targetsOf(field: { to: Resource | Abstract }, rules: ViewerRules): { targets?: TypeSelection[] } {
  const guards = membersOf(field.to).map((of) => [of, readableBehind(field, of, rules)] as const)
  if (guards.every(([, guard]) => isAlways(guard))) return {}
  return { targets: guards.map(([of, guard]) => ({ of, ...guardOf(guard), selections: [] })) }
}

/** A subscription gets the guards of a read. The store evaluates them on the row before the change, after it, and as it is
 *  now: a value that the viewer may not read now stays hidden, also from the filter. */
export function guardSubscription(plan: SubscriptionPlan, rules: ViewerRules): SubscriptionPlan {
  const { of } = plan
  const guard = rules.row(of, 'READ')
  const where = plan.where === null ? always : all([guardWhere(plan.where, of, rules, false, guardedAtom)])
  const guarded = [...of.fields.values()].flatMap((field) => {
    const read = rules.field(field, 'READ')
    return isAlways(read) ? [] : [{ field, guard: read }]
  })
  const audit = rules.audit(of)
  return {
    ...plan,
    where: isAlways(where) ? null : where,
    selections: guardSelections(plan.selections, of, rules, { isReadable: true, reachedBy: null }),
    ...(isAlways(guard) ? {} : { guard }),
    ...(guarded.length === 0 ? {} : { guarded }),
    ...(isNever(audit) ? {} : { audit }),
  }
}

/** The store must tell the guard from the atom, to evaluate the guard on the row as it is now too. */
function guardedAtom(parts: readonly Where[]): Where {
  const condition = all(parts)
  return condition.kind === 'and' && condition.of.length === 2 ? { ...condition, guarded: true } : condition
}
