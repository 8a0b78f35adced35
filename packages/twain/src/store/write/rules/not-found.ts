// What is told of a row that is not there, and in the same words of one that the viewer can't read.

import { ApiError } from '#base'
import type { Resource } from '#model'

export function notThere(resource: Resource, id: string): ApiError {
  return new ApiError('NOT_FOUND', `There is no ${resource.name} with the id "${id}".`)
}
