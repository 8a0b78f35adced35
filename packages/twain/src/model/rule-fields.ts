// Rules that grant only some fields of a row: `@allow(to: [UPDATE], fields: ["note"])`.

import type { Action, AnyField, Resource, Rule } from './model.ts'

/** Whether the rule of a type grants its actions on this field too. */
export function coversField({ fields }: Pick<Rule, 'fields'>, field: AnyField): boolean {
  return fields === null || fields.includes(field)
}

/** Whether some rule of the type grants the action on some fields only. */
export function isNarrowed({ rules }: Resource, action: Action): boolean {
  return rules.some(({ fields, to }) => fields !== null && to.includes(action))
}

/** Whether some viewer may read a row of the type and not this field of it. */
export function isReadRestricted(field: AnyField): boolean {
  const { owner, name, rules } = field
  if (rules.some(({ to }) => to.includes('READ'))) return true
  if (name === 'id' || !isNarrowed(owner, 'READ')) return false
  const granting = owner.rules.filter(({ to }) => to.includes('READ'))
  const isForAll = ({ who, role, verified, where }: Rule) =>
    who.kind === 'anyone' && role === null && !verified && where === null
  if (granting.some((rule) => isForAll(rule) && coversField(rule, field))) return false
  return granting.some((rule) => !coversField(rule, field))
}
