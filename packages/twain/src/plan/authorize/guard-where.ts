// Puts the access rules into the filter of a client. It pushes `not` inward to the atoms. An atom that names a field with rules of
// its own matches only rows where the viewer may read the field, negated or not. Joins lead to readable rows only.

import { unreachable } from '#base'
import type { Abstract, Field, Resource } from '#model'
import type { Where } from '../plan.ts'
import { all, always, any, isAlways, isNever, never } from './conditions.ts'
import type { ViewerRules } from './viewer-rules.ts'

type RowType = Resource | Abstract

/** `combine` makes one condition of the guard of a field of the row itself and the atom that names the field. */
export function guardWhere(where: Where, of: RowType, rules: ViewerRules, negated = false, combine = all): Where {
  const guarded = (field: Field, atom: Where): Where =>
    combine([fieldGuard(field, of, rules), negated ? negate(atom) : atom])
  switch (where.kind) {
    case 'and':
    case 'or': {
      const kind = (where.kind === 'and') === negated ? 'or' : 'and'
      return { kind, of: where.of.map((part) => guardWhere(part, of, rules, negated, combine)) }
    }
    case 'not':
      return guardWhere(where.of, of, rules, !negated, combine)
    case 'constant':
      return where.is === negated ? never : always
    case 'compare':
      return guarded(where.target.field, where)
    case 'null':
      return guarded(where.target.kind === 'target' ? where.target.field : where.target, guardNull(where, rules))
    case 'through': {
      const inner = guardRows(where.where, where.field, rules)
      return guarded(where.field, { ...where, where: inner })
    }
    case 'some':
    case 'none': {
      const inner = guardRows(where.where, where.field, rules)
      return guarded(where.field, { ...where, where: isAlways(inner) ? null : inner })
    }
    case 'search':
      return guardSearch(where, rules)
    case 'type':
      return guardType(where, rules, negated, combine)
    case 'viewer':
    case 'live':
      return negated ? { kind: 'not', of: where } : where
    default:
      return unreachable(where)
  }
}

/** The rules of the type itself apply to the fields that only it has. */
function guardType(where: Where & { kind: 'type' }, rules: ViewerRules, negated: boolean, combine: typeof all): Where {
  const isOfType: Where = { kind: 'type', of: where.of }
  const isOfOther: Where = { kind: 'not', of: isOfType }
  if (where.where === undefined) return negated ? isOfOther : isOfType
  const inner = guardWhere(where.where, where.of, rules, negated, combine)
  return negated ? any([isOfOther, { ...isOfType, where: inner }]) : { ...isOfType, where: inner }
}

/** A field that the viewer can never read is not searched. A field that is readable on some rows finds only those. */
function guardSearch(where: Where & { kind: 'search' }, rules: ViewerRules): Where {
  const fields = where.fields.flatMap(({ field }) => {
    const guard = rules.field(field, 'READ')
    return isNever(guard) ? [] : [{ field, ...(isAlways(guard) ? {} : { guard }) }]
  })
  return fields.length === 0 ? never : { ...where, fields }
}

/** The rows behind the field that the viewer may read and that match the filter. */
function guardRows(where: Where | null, field: { to: RowType }, rules: ViewerRules): Where {
  return all([rules.referencedRows(field), where === null ? always : guardWhere(where, field.to, rules)])
}

/** A reference to an unreadable row is null for this viewer. */
function guardNull(where: Where & { kind: 'null' }, rules: ViewerRules): Where {
  const { target, is } = where
  if (target.kind === 'target') return where
  const readable = rules.referencedRows(target)
  if (isAlways(readable)) return where
  const there: Where = { kind: 'through', field: target, where: readable }
  return is ? { kind: 'not', of: there } : there
}

function negate(atom: Where): Where {
  return atom.kind === 'not' ? atom.of : { kind: 'not', of: atom }
}

/** READ of the field. Over an abstract the field is the first member's, and each type has rules of its own. */
export function fieldGuard(field: Field, of: RowType, rules: ViewerRules): Where {
  if (of.kind === 'resource') return rules.field(of.fields.get(field.name) ?? field, 'READ')
  const members = of.members.map((member): [Resource, Where] => {
    return [member, rules.field(member.fields.get(field.name)!, 'READ')]
  })
  if (members.every(([, guard]) => isAlways(guard))) return always
  return any(members.map(([member, guard]) => all([{ kind: 'type', of: member }, guard])))
}
