// The type whose changes are asked for, by the path of its collection, on both faces.

import { nearest, type Problem } from '#base'
import type { Model, Resource } from '#model'

/** Null after a problem. */
export function resourceAt(path: string, { resources }: Model, place: string, problems: Problem[]): Resource | null {
  const found = resources.find((resource) => resource.path === path) ?? resources.find(({ was }) => was.includes(path))
  if (found !== undefined) return found
  const near = nearest(
    path,
    resources.map((resource) => resource.path),
  )
  const meant = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`
  problems.push({ path: place, code: 'UNKNOWN', message: `"${path}" is not the path of a resource.${meant}` })
  return null
}
