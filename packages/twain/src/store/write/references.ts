// References by id. To an interface or a union the id alone is enough while only one row can be meant; `Type:id` says which.

import type { Problem } from '#base'
import type { Abstract, Resource } from '#model'
import type { Target } from './writer-context.ts'
import type { Writing } from './writing.ts'

/** The row that is meant, or null and a problem that names the place. One that the viewer can't read is none. */
export function resolve(
  to: Resource | Abstract,
  reference: string,
  path: string,
  writing: Writing,
  problems: Problem[],
): Target | null {
  const found = candidates(to, reference, writing)
  if (found.length === 1) return found[0]!
  const message =
    found.length === 0
      ? `There is no ${to.name} with the id "${reference}".`
      : `"${reference}" could be ${found.map(({ type, id }) => `${type}:${id}`).join(' or ')}; say which.`
  problems.push({ path, code: 'REFERENCE', message })
  return null
}

function candidates(to: Resource | Abstract, reference: string, { context, rules }: Writing): Target[] {
  const isThere = (type: Resource, id: string) => context.table(type).has(id) && rules.canRefer(type.name, id)
  if (to.kind === 'resource') return isThere(to, reference) ? [{ type: to.name, id: reference }] : []
  const colon = reference.indexOf(':')
  const named = colon < 0 ? undefined : to.members.find(({ name }) => name === reference.slice(0, colon))
  const members = named === undefined ? to.members : [named]
  const id = named === undefined ? reference : reference.slice(colon + 1)
  return members.filter((member) => isThere(member, id)).map(({ name }) => ({ type: name, id }))
}
