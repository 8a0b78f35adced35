// What is told of a row that is not there, and in the same words of one that the viewer can't read.

import { Fault } from '#base'
import type { Resource } from '#model'

export function notThere(resource: Resource, id: string): Fault {
  return new Fault('NOT_FOUND', `There is no ${resource.name} with the id "${id}".`)
}
