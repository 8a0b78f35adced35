// Finds the type of a feed request by the path of its collection, for REST and GraphQL.

import { nearest, type Problem } from '#base'
import type { Model, Resource } from '#model'

/** Adds a problem and returns null if there is no such type. */
export function resourceByPath(path: string, model: Model, place: string, problems: Problem[]): Resource | null {
  const { resources } = model
  const found =
    resources.find((resource) => resource.path === path) ??
    resources.find(({ formerPaths }) => formerPaths.includes(path))
  if (found !== undefined) return found
  problems.push({ path: place, code: 'UNKNOWN', message: unknownPath(path, model) })
  return null
}

function unknownPath(path: string, { resources, abstracts }: Model): string {
  const several = abstracts.find((one) => one.path === path)
  if (several !== undefined) {
    const paths = several.members.map((member) => member.path).join(', ')
    return `"${path}" is a collection of several types; use one of ${paths}, or leave it out for all types.`
  }
  const near = nearest(
    path,
    resources.map((resource) => resource.path),
  )
  const meant = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`
  return `"${path}" is not the path of a resource.${meant}`
}
