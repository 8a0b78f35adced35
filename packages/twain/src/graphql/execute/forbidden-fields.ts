// Fields of an answer that this viewer may not read: null in their place, and an error with the path of each
// (specification, section 6.4.4). Such a field is nullable in the schema, so null never goes further up.

import type { Engine } from '#engine'
import type { AnyField } from '#model'
import { forbiddenMarker } from '#plan'
import type { GraphqlOperation } from '../document/document-cache.ts'
import { fieldAt, locationsOf } from '../document/field-at-path.ts'
import type { ResponseError } from '../document/response-errors.ts'
import type { PlannedField } from '../plan/plan-operation.ts'
import { selectedFields } from './selected-fields.ts'

/** An answer may have thousands of places; the rest is counted. */
const maxErrors = 100

/** The text of the root field as its viewer sees it. */
export function reportForbiddenFields(
  text: string,
  root: PlannedField,
  run: ForbiddenFieldsContext,
): { text: string; errors: ResponseError[] } {
  if (!forbiddenMarker.isIn(text)) return { text, errors: [] }
  const { key } = root
  const { node, fragments } = run.operation
  run.deniedFields ??= new Set()
  const { deniedFields: refused, engine } = run
  const errors: ResponseError[] = []
  let more = 0
  const data = forbiddenMarker.replaceIn(text, (place) => {
    if (errors.length < maxErrors) errors.push(errorAt([key, ...place]))
    else more++
    return null
  })
  if (more > 0) {
    errors.push({ message: `${more} more fields may not be read.`, path: [key], extensions: { code: 'FORBIDDEN' } })
  }
  return { text: JSON.stringify(data), errors }

  function errorAt(path: (string | number)[]): ResponseError {
    const keys = path.filter((step) => typeof step === 'string')
    const found = fieldAt(keys, node.selectionSet, fragments)
    const message = `You may not read "${found?.name.value ?? keys.at(-1)}" here.`
    const fields = fieldsAt(root, keys.slice(1))
    for (const field of fields) refused.add(field)
    const hint = engine.deniedReads.hint(fields)
    const extensions = hint === undefined ? { code: 'FORBIDDEN' as const } : { code: 'FORBIDDEN' as const, hint }
    return { message, ...locationsOf(found), path, extensions }
  }
}

/** What was asked, and what of it was refused so far. */
interface ForbiddenFieldsContext {
  operation: Pick<GraphqlOperation, 'node' | 'fragments'>
  engine: Pick<Engine, 'deniedReads'>
  deniedFields: Set<AnyField> | null
}

function fieldsAt(root: PlannedField, keys: readonly string[]): AnyField[] {
  if (root.kind === 'read') return selectedFields(root.plan, keys)
  if (root.kind === 'subscription')
    return selectedFields(root.plan.selections, root.members === null ? keys : keys.slice(1))
  if (root.kind === 'own') return root.plan.result.kind === 'rows' ? selectedFields(root.plan.result.read, keys) : []
  return root.kind === 'write' ? selectedFields(root.selections, keys) : []
}
