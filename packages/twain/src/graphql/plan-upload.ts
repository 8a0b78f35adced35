// `uploadFile(file: Upload!)`: a root field that makes a file of the request a row, and reads it back.

import { type Viewer, validationFault } from '#base'
import type { Engine } from '#engine'
import { Received } from '#files'
import type { Resource } from '#model'
import type { Limits, One } from '#plan'
import type { Variables } from './argument-values.ts'
import { Arguments, type PlanContext } from './plan-context.ts'
import { planPicks } from './plan-picks.ts'
import { below, type Selected } from './selection.ts'
import type { Uploads } from './uploads.ts'

export interface UploadRoot {
  kind: 'upload'
  plan: One
  places: readonly string[]
  /** The field's arguments with the variables of a request. */
  given(variables: Variables): Arguments
}

export function planUpload(of: Resource, field: Selected, context: PlanContext, limits: Limits): UploadRoot {
  const { draft } = context
  const idType = { kind: 'scalar', name: 'ID' } as const
  const id = draft.slot({ kind: 'type', type: idType }, '', `${field.key}.file`)
  const pick = planPicks(of, below(field), context, field.key)
  draft.finish(limits)
  const definitions = context.schema.getMutationType()?.getFields()[field.name]?.args ?? []
  return {
    kind: 'upload',
    plan: { kind: 'one', of, id, pick },
    places: draft.places,
    given: (variables) => new Arguments(field.node, definitions, variables),
  }
}

/** The JSON text of the root field. */
export async function uploadText(
  root: UploadRoot,
  variables: Variables,
  viewer: Viewer,
  engine: Engine,
  uploads: Uploads | null,
): Promise<string> {
  const file = root.given(variables).value('file')
  if (uploads === null || !(file instanceof Received)) {
    throw validationFault([{ path: 'file', code: 'TYPE', message: 'must be a file of a multipart request.' }])
  }
  const id = await uploads.keep(file)
  const answer = await engine.execute({ plan: root.plan, values: [id], places: root.places }, viewer)
  if (answer.kind !== 'one' || answer.text === null) throw new Error('an uploaded file can not be read by its uploader')
  uploads.want([file])
  return answer.text
}
