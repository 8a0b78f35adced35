// Required fields that nobody may set who may create a row: each create would be refused. Whoever has the role admin (operators, API
// keys, issuers) does not count, on either side: what only an admin creates, an admin can complete.

import type { Mistake, Model, Resource } from '#model'
import { isNever } from '../authorize/conditions.ts'
import { namedRoles } from '../authorize/viewer-class.ts'
import type { ViewerRules } from '../authorize/viewer-rules.ts'
import { isRequiredInput } from '../build/input.ts'
import { rulesFor } from './access-matrix.ts'

export function unsettableFields(model: Model): Mistake[] {
  const rules = rulesOfAll(model)
  return model.resources
    .filter((of) => mayCreate(of, rules))
    .flatMap(({ fields }) => [...fields.values()])
    .filter((field) => isRequiredInput(field) && isNever(rules.field(field, 'CREATE')))
    .map(({ owner, name, place }) => ({
      ...place,
      length: name.length,
      message: `${owner.name}.${name} is required, but nobody who may create rows of ${owner.name} may set it. The role admin does not count.`,
      hint: `Write a @default, make it optional, allow CREATE on it, or leave CREATE out of the rules (to:) of ${owner.name}.`,
    }))
}

/** One viewer with every right that a rule can give, except by the role admin: no rule takes a right away. */
function rulesOfAll(model: Model): ViewerRules {
  const roles = [...namedRoles(model)].filter((role) => role !== 'admin')
  const claims = Object.fromEntries(model.claims.map(({ name }) => [name, null]))
  return rulesFor({ name: 'all', signedIn: model.account !== null, roles, verified: true, claims }, model)
}

/** A new account is not the viewer's own, so `who: "self"` creates none. */
function mayCreate(of: Resource, rules: ViewerRules): boolean {
  if (of.rules.length === 0) return !isNever(rules.row(of, 'CREATE'))
  const creating = of.rules.filter(({ to, who }) => to.includes('CREATE') && who.kind !== 'self')
  return creating.some((rule) => !isNever(rules.byRule(rule, of, 'CREATE')))
}
