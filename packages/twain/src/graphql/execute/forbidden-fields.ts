// Fields that this viewer may not read: null in their place and an error with the path of each (specification,
// section 6.4.4). The schema declares such fields nullable, so the null does not propagate.

import type { Engine } from '#engine'
import type { AnyField } from '#model'
import { forbiddenMarker } from '#plan'
import type { GraphqlOperation } from '../document/document-cache.ts'
import { fieldAt, locationsOf, type ResponseError } from '../document/response-errors.ts'
import type { PlannedField } from '../plan/plan-operation.ts'
import { selectedFields } from './selected-fields.ts'

/** A response can have thousands of forbidden fields; the last error counts the rest. */
const maxErrors = 100

/** The text of the root field with nulls, and the errors. Adds the fields to `deniedFields`. */
export function reportForbiddenFields(
  text: string,
  root: PlannedField,
  context: ForbiddenFieldsContext,
): { text: string; errors: ResponseError[] } {
  if (!forbiddenMarker.isIn(text)) return { text, errors: [] }
  const { key } = root
  const { node, fragments } = context.operation
  context.deniedFields ??= new Set()
  const { deniedFields, engine } = context
  const errors: ResponseError[] = []
  let omittedCount = 0
  const data = forbiddenMarker.replaceIn(text, (path) => {
    if (errors.length < maxErrors) errors.push(errorAt([key, ...path]))
    else omittedCount++
    return null
  })
  if (omittedCount > 0) {
    errors.push({
      message: `${omittedCount} more fields may not be read.`,
      path: [key],
      extensions: { code: 'FORBIDDEN' },
    })
  }
  return { text: JSON.stringify(data), errors }

  function errorAt(path: (string | number)[]): ResponseError {
    const keys = path.filter((step) => typeof step === 'string')
    const found = fieldAt(keys, node.selectionSet, fragments)
    const message = `You may not read "${found?.name.value ?? keys.at(-1)}" here.`
    const fields = fieldsAt(root, keys.slice(1))
    for (const field of fields) deniedFields.add(field)
    const hint = engine.denials.hint(fields)
    const extensions = hint === undefined ? { code: 'FORBIDDEN' as const } : { code: 'FORBIDDEN' as const, hint }
    return { message, ...locationsOf(found), path, extensions }
  }
}

interface ForbiddenFieldsContext {
  operation: Pick<GraphqlOperation, 'node' | 'fragments'>
  engine: Pick<Engine, 'denials'>
  deniedFields: Set<AnyField> | null
}

function fieldsAt(root: PlannedField, keys: readonly string[]): AnyField[] {
  if (root.kind === 'read') return selectedFields(root.plan, keys)
  if (root.kind === 'nodes') return root.read === null ? [] : selectedFields(root.read.plan, keys)
  if (root.kind === 'subscription')
    return selectedFields(root.plan.selections, root.members === null ? keys : keys.slice(1))
  if (root.kind === 'custom') return root.plan.result.kind === 'rows' ? selectedFields(root.plan.result.read, keys) : []
  return root.kind === 'write' ? selectedFields(root.selections, keys) : []
}
