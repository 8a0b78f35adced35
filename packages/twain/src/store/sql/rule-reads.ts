// What a rule reads beside the row that it judges: the rows behind its references and in its lists. They are found once, when the rule
// is compiled, and a write locks them before it judges (`rule-locks.ts`).

import { unreachable } from '#base'
import { type LinksField, membersOf, type ReferenceField, type Resource, type StoredField } from '#model'
import { conditionsIn, type Guard, type Where } from '#plan'
import { asksIdOnly } from './where.ts'

/** How rows are found from those before them. `where`: those of a list that must match; null: all. */
export type RuleStep =
  | { kind: 'reference'; field: ReferenceField }
  | { kind: 'list'; via: ReferenceField; where: Where | null }
  | { kind: 'links'; field: LinksField; where: Where | null }

export interface RuleRows {
  of: Resource
  /** Null: the row that the rule judges. */
  from: { rows: RuleRows; step: RuleStep } | null
  /** Whether the rule depends on values of these rows that may change. */
  isRead: boolean
  /** Whether the rule depends on rows that are not in the list. */
  isAbsence: boolean
}

/** Rows come behind those that they are found from. The first is the row that the rule judges. */
export function findRuleReads(guard: Guard, of: Resource): [judged: RuleRows, ...RuleRows[]] {
  const judged: RuleRows = { of, from: null, isRead: false, isAbsence: false }
  const found: [RuleRows, ...RuleRows[]] = [judged]
  visit(guard, judged, false, found)
  return found
}

/** `negated`: the rule holds only if the condition does not. */
function visit(where: Where, rows: RuleRows, negated: boolean, found: RuleRows[]): void {
  switch (where.kind) {
    case 'constant':
    case 'viewer':
    case 'live': // a delete that hides the row locks what it hides
      return
    case 'and':
    case 'or':
      for (const part of conditionsIn(where)) visit(part, rows, negated, found)
      return
    case 'not':
      visit(where.of, rows, !negated, found)
      return
    case 'type':
      if (where.of === rows.of && where.where !== undefined) visit(where.where, rows, negated, found)
      return
    case 'search':
      rows.isRead = true
      return
    case 'compare':
      rows.isRead ||= mayChange(where.target.field)
      return
    case 'null': {
      const { target, is } = where
      if (target.kind === 'inverse')
        addRows(target.to, rows, { kind: 'list', via: target.via, where: null }, is !== negated, found)
      else rows.isRead ||= mayChange(target.kind === 'reference' ? target : target.field)
      return
    }
    case 'through': {
      const { field } = where
      if (field.kind === 'inverse') {
        const step: RuleStep = { kind: 'list', via: field.via, where: negated ? null : where.where }
        visit(where.where, addRows(field.to, rows, step, negated, found), negated, found)
        return
      }
      rows.isRead ||= mayChange(field)
      if (field.to.kind === 'resource' && asksIdOnly(where.where)) return
      for (const of of membersOf(field.to))
        visit(where.where, addRows(of, rows, { kind: 'reference', field }, false, found), negated, found)
      return
    }
    case 'some':
    case 'none': {
      const isAbsence = (where.kind === 'none') !== negated
      const matching = isAbsence ? null : where.where
      for (const of of membersOf(where.field.to)) {
        const step: RuleStep =
          where.field.kind === 'links'
            ? { kind: 'links', field: where.field, where: matching }
            : { kind: 'list', via: where.field.via, where: matching }
        const listed = addRows(of, rows, step, isAbsence, found)
        if (where.where !== null) visit(where.where, listed, isAbsence, found)
      }
      return
    }
    default:
      unreachable(where)
  }
}

function addRows(of: Resource, rows: RuleRows, step: RuleStep, isAbsence: boolean, found: RuleRows[]): RuleRows {
  const added: RuleRows = { of, from: { rows, step }, isRead: false, isAbsence }
  found.push(added)
  return added
}

function mayChange(field: StoredField | ReferenceField): boolean {
  return field.name !== 'id' && !field.immutable
}
