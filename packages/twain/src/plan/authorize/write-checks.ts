// The rules that a write must pass, for a class of viewers: made once for each type and action.

import { type LinksField, labelOf, membersOf, type ReferenceField, type Resource, type StoredField } from '#model'
import type { Guard, SetField, WriteChecks, WritePlan } from '../plan.ts'
import { all, isAlways, isNever } from './conditions.ts'
import type { ViewerRules } from './viewer-rules.ts'

export function writeChecks(of: Resource, action: WritePlan['action'], rules: ViewerRules): WriteChecks {
  const fields = [...of.fields.values()].filter(isSettable)
  return {
    ...unlessAlways('read', rules.row(of, 'READ')),
    ...unlessAlways('before', rules.row(of, needsDelete.has(action) ? 'DELETE' : 'UPDATE')),
    ...unlessAlways('create', rules.row(of, 'CREATE')),
    ...unlessAlways('after', rules.row(of, 'UPDATE')),
    fields: fields.flatMap((field) => {
      const create = rules.field(field, 'CREATE')
      const update = rules.field(field, 'UPDATE')
      if (isAlways(create) && isAlways(update)) return []
      return [{ field, ...unlessAlways('create', create), ...unlessAlways('update', update) }]
    }),
    ...unlessAlways('password', rules.passwordChange()),
    hidden: fields.flatMap((field) => {
      const guard = rules.field(field, 'READ')
      return isAlways(guard) ? [] : [{ field, guard }]
    }),
    targets: targetsOf(fields, rules),
    holders: fields.flatMap((field) => {
      const holder = field.kind === 'links' ? otherHolder(field, rules) : null
      if (field.kind !== 'links' || holder === null) return []
      const guard = all([rules.row(holder.owner, 'UPDATE'), rules.field(holder, 'UPDATE')])
      return isAlways(guard) ? [] : [{ field, guard }]
    }),
    referrers: isDelete(action) ? referrersOf(of, rules) : [],
    labels: labelsOf(namedTypes(of, action, rules), rules),
  }
}

function isDelete(action: WritePlan['action']): boolean {
  return action === 'delete' || action === 'purge'
}

/** The types whose rows the messages of a refused write name. A create names none. */
function namedTypes(of: Resource, action: WritePlan['action'], rules: ViewerRules): Resource[] {
  if (action === 'create') return []
  return isDelete(action) ? [of, ...restrictingReferences(of, rules.resources).map(({ owner }) => owner)] : [of]
}

/** Only types whose label has a rule of its own. */
function labelsOf(types: readonly Resource[], rules: ViewerRules): WriteChecks['labels'] {
  const readOf = (field: StoredField) => rules.field(field, 'READ')
  return [...new Set(types)].flatMap((of) => {
    const label = labelOf(of)
    if (label === null || isAlways(readOf(label))) return []
    const field = labelOf(of, (one) => !isNever(readOf(one)))
    return [{ of, field, guard: readOf(field ?? label) }]
  })
}

/** Whoever may delete a row may restore it. */
const needsDelete: ReadonlySet<WritePlan['action']> = new Set(['delete', 'purge', 'restore'])

function referrersOf(of: Resource, rules: ViewerRules): WriteChecks['referrers'] {
  return restrictingReferences(of, rules.resources).flatMap((field) => {
    const guard = all([rules.row(field.owner, 'READ'), rules.field(field, 'READ')])
    return isAlways(guard) ? [] : [{ field, guard }]
  })
}

/** References that can block deleting a row: those to it that RESTRICT, and those to rows that the delete cascades to. */
export function restrictingReferences(of: Resource, resources: readonly Resource[]): ReferenceField[] {
  const deleted = new Set([of])
  const found = new Set<ReferenceField>()
  // The iteration of a Set continues over items that are added meanwhile.
  for (const type of deleted) {
    for (const field of resources.flatMap(({ fields }) => [...fields.values()])) {
      if (field.kind !== 'reference' || !leadsTo(field, type)) continue
      if (field.onDelete === 'CASCADE') deleted.add(field.owner)
      if (field.onDelete === 'RESTRICT') found.add(field)
    }
  }
  return [...found]
}

function leadsTo({ to }: ReferenceField, type: Resource): boolean {
  return to.kind === 'resource' ? to === type : to.members.includes(type)
}

/** The other side of the list, if the relation belongs to it too. A relation belongs to each side that rules go through. If they
 *  go through none, it belongs to the side that is declared first, but never to the account: otherwise viewers who may update
 *  themselves could join whatever they can read. */
function otherHolder(field: LinksField, rules: ViewerRules): LinksField | null {
  const { left, right } = field.link
  const other = field.side === 'left' ? right : left
  if (other === null || rules.isTrusted(other)) return other
  if (rules.isTrusted(field)) return null
  const isRight = right !== null && left.owner === rules.account && right.owner !== rules.account
  return other === (isRight ? right : left) ? other : null
}

function isSettable(field: { kind: string }): field is SetField['field'] {
  return field.kind === 'stored' || field.kind === 'reference' || field.kind === 'links'
}

/** Only types whose rows not everyone may read. */
function targetsOf(fields: readonly SetField['field'][], rules: ViewerRules): Map<Resource, Guard> {
  const targets = new Map<Resource, Guard>()
  for (const field of fields) {
    if (field.kind === 'stored') continue
    for (const resource of membersOf(field.to)) {
      const guard = rules.row(resource, 'READ')
      if (!isAlways(guard)) targets.set(resource, guard)
    }
  }
  return targets
}

function unlessAlways<Name extends string>(name: Name, guard: Guard): { [N in Name]?: Guard } {
  return (isAlways(guard) ? {} : { [name]: guard }) as { [N in Name]?: Guard }
}
