// The rows on which a viewer may read everything that a condition depends on: each field that it names, and each row that it leads
// to. Elsewhere, whether the condition holds would tell the viewer about values that the rules hide.

import { unreachable } from '#base'
import type { Abstract, Field, Resource } from '#model'
import type { Where } from '../plan.ts'
import { all, always, any, isAlways } from './conditions.ts'
import { fieldGuard } from './guard-where.ts'
import type { ViewerRules } from './viewer-rules.ts'

type RowType = Resource | Abstract

export function readableCondition(where: Where, of: RowType, rules: ViewerRules): Where {
  const guard = (field: Field) => fieldGuard(field, of, rules)
  switch (where.kind) {
    case 'and':
    case 'or':
      return all(where.of.map((part) => readableCondition(part, of, rules)))
    case 'not':
      return readableCondition(where.of, of, rules)
    case 'compare':
      return guard(where.target.field)
    case 'null': {
      const { target } = where
      return target.kind === 'target'
        ? guard(target.field)
        : all([guard(target), leadsToReadable(target, rules, always)])
    }
    case 'through':
      return all([guard(where.field), leadsToReadable(where.field, rules, where.where)])
    case 'some':
    case 'none':
      return all([guard(where.field), hasOnlyReadable(where.field, rules, where.where ?? always)])
    case 'search':
      return all(where.fields.map(({ field }) => guard(field)))
    case 'type': {
      const inner = where.where === undefined ? always : readableCondition(where.where, where.of, rules)
      if (isAlways(inner)) return always
      return any([
        { kind: 'not', of: { kind: 'type', of: where.of } },
        { kind: 'type', of: where.of, where: inner },
      ])
    }
    case 'constant':
    case 'viewer':
    case 'live':
      return always
    default:
      return unreachable(where)
  }
}

/** There is no such row, or the viewer may read it, and what `inner` needs of it. */
function leadsToReadable(field: (Where & { kind: 'through' })['field'], rules: ViewerRules, inner: Where): Where {
  const readable = readableRow(field, rules, inner)
  if (isAlways(readable)) return always
  return any([
    { kind: 'null', target: field, is: true },
    { kind: 'through', field, where: readable },
  ])
}

/** The viewer may read each row of the list, and what `inner` needs of it. */
function hasOnlyReadable(field: (Where & { kind: 'some' })['field'], rules: ViewerRules, inner: Where): Where {
  const readable = readableRow(field, rules, inner)
  return isAlways(readable) ? always : { kind: 'none', field, where: { kind: 'not', of: readable } }
}

/** Whether a row is a certain account depends on no other row. */
function readableRow(field: { to: RowType }, rules: ViewerRules, inner: Where): Where {
  if (inner.kind === 'viewer') return always
  return all([rules.referencedRows(field), readableCondition(inner, field.to, rules)])
}
