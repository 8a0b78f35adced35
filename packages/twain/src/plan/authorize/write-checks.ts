// What a write must pass, for a class of viewers: put together once for each type and action.

import { type LinksField, membersOf, type ReferenceField, type Resource } from '#model'
import type { Guard, SetField, WriteChecks, WritePlan } from '../plan.ts'
import { all, isAlways } from './conditions.ts'
import type { Rules } from './rules.ts'

export function judgeOf(of: Resource, action: WritePlan['action'], rules: Rules): WriteChecks {
  const fields = [...of.fields.values()].filter(isSettable)
  return {
    ...passing('read', rules.row(of, 'READ')),
    ...passing('before', rules.row(of, action === 'delete' ? 'DELETE' : 'UPDATE')),
    ...passing('create', rules.row(of, 'CREATE')),
    ...passing('after', rules.row(of, 'UPDATE')),
    fields: fields.flatMap((field) => {
      const create = rules.field(field, 'CREATE')
      const update = rules.field(field, 'UPDATE')
      if (isAlways(create) && isAlways(update)) return []
      return [{ field, ...passing('create', create), ...passing('update', update) }]
    }),
    ...passing('password', rules.password()),
    hidden: fields.flatMap((field) => {
      const guard = rules.field(field, 'READ')
      return isAlways(guard) ? [] : [{ field, guard }]
    }),
    targets: targetsOf(fields, rules),
    holders: fields.flatMap((field) => {
      const holder = field.kind === 'links' ? farHolder(field, rules) : null
      if (field.kind !== 'links' || holder === null) return []
      const guard = all([rules.row(holder.owner, 'UPDATE'), rules.field(holder, 'UPDATE')])
      return isAlways(guard) ? [] : [{ field, guard }]
    }),
    referrers: action === 'delete' ? referrersOf(of, rules) : [],
  }
}

function referrersOf(of: Resource, rules: Rules): WriteChecks['referrers'] {
  return restricting(of, rules.resources).flatMap((field) => {
    const guard = all([rules.row(field.owner, 'READ'), rules.field(field, 'READ')])
    return isAlways(guard) ? [] : [{ field, guard }]
  })
}

/** References that can block deleting a row: those to it that RESTRICT, and those to rows that the delete cascades to. */
export function restricting(of: Resource, resources: readonly Resource[]): ReferenceField[] {
  const going = new Set([of])
  const found = new Set<ReferenceField>()
  // A Set's iteration goes on over what is added meanwhile.
  for (const type of going) {
    for (const field of resources.flatMap(({ fields }) => [...fields.values()])) {
      if (field.kind !== 'reference' || !leadsTo(field, type)) continue
      if (field.onDelete === 'CASCADE') going.add(field.owner)
      if (field.onDelete === 'RESTRICT') found.add(field)
    }
  }
  return [...found]
}

function leadsTo({ to }: ReferenceField, type: Resource): boolean {
  return to.kind === 'resource' ? to === type : to.members.includes(type)
}

/** The other side of the list, where it holds the relation too. A side that rules go through always does; where they go
 *  through none, the first side does, but never the account's: whoever may update themselves could else put themselves among
 *  the members of whatever they can read. */
function farHolder(field: LinksField, rules: Rules): LinksField | null {
  const { left, right } = field.link
  const far = field.side === 'left' ? right : left
  if (far === null || rules.trusts(far)) return far
  if (rules.trusts(field)) return null
  const isRight = right !== null && left.owner === rules.account && right.owner !== rules.account
  return far === (isRight ? right : left) ? far : null
}

function isSettable(field: { kind: string }): field is SetField['field'] {
  return field.kind === 'stored' || field.kind === 'reference' || field.kind === 'links'
}

/** Only types whose rows not everyone may read. */
function targetsOf(fields: readonly SetField['field'][], rules: Rules): Map<Resource, Guard> {
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

function passing<Name extends string>(name: Name, guard: Guard): { [N in Name]?: Guard } {
  return (isAlways(guard) ? {} : { [name]: guard }) as { [N in Name]?: Guard }
}
