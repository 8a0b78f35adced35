// A Fault in the words of this face (docs/rest.md, R70).

import { type Fault, type HttpReply, type HttpRequest, problemReply } from '#base'

export function representProblem(fault: Fault, { path }: HttpRequest): HttpReply {
  return problemReply(fault, path)
}
