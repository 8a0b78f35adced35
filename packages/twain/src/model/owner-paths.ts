// By which fields rules give rows of a type to an account: `who: "self"`, and paths of one step that end at the account type.

import { mayBeAccount } from './members-of.ts'
import type { Model, Resource, Who } from './model.ts'

/** `who` of these rules, each once. */
export type OwnerPath = Extract<Who, { kind: 'path' }> | { kind: 'self' }

export function ownerPathsOf(of: Resource, model: Pick<Model, 'account'>): OwnerPath[] {
  const paths = new Map<string, OwnerPath>()
  for (const { who } of of.rules) {
    if (who.kind === 'self') paths.set('', { kind: 'self' })
    if (who.kind !== 'path' || who.path.length !== 1) continue
    const [field] = who.path
    if (field !== undefined && mayBeAccount(field.to, model)) paths.set(field.name, who)
  }
  return [...paths.values()]
}
