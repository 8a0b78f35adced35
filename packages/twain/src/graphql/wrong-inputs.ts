// A variable whose value is not of its type is a mistake of the request, and nothing of it is run (specification, section
// 6.1.2). What a write takes is told in the write's own words and places, the same as in REST, so the writes are asked: what
// none of them minds, as a field that the server sets and that is put back as it was read, may pass.

import { Fault, type Viewer } from '#base'
import type { Engine } from '#engine'
import { check } from '#plan'
import type { Variables } from './argument-values.ts'
import type { PlannedOperation, Root } from './plan-operation.ts'
import { type WriteRoot, writeQuestion } from './plan-write.ts'
import { faultError, RequestErrors, type ResponseError } from './request-errors.ts'
import { withFileIds } from './uploads.ts'

interface Asked {
  variables: Variables
  viewer: Viewer
  engine: Engine
}

/** Throws what all writes of the operation find wrong, each at its field. */
export function refuseWrongInputs({ roots }: PlannedOperation, asked: Asked): void {
  const errors = roots.flatMap((root) => (root.kind === 'write' ? wrongWith(root, asked) : []))
  if (errors.length > 0) throw new RequestErrors(errors)
}

function wrongWith(root: Root & WriteRoot, { variables, viewer, engine }: Asked): ResponseError[] {
  try {
    engine.admit({ of: root.of, action: root.action === 'createAll' ? 'create' : root.action }, viewer)
    check(withFileIds(writeQuestion(root, variables, engine.limits)), engine.limits)
    return []
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const { path: _, ...told } = faultError(error, root) // nothing was answered that it could lead into
    return [told]
  }
}
