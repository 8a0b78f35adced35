// The root fields `servedSchema` and `schemaChanges`. The module engine decides; this file shapes the result as the request selects it.

import type { SchemaInspector } from '#engine'
import { applyShape, type ObjectShape } from '../plan/object-shape.ts'
import { type PlannedSchema, selectsUses } from '../plan/plan-schema.ts'
import type { ExecutionContext } from './execution-context.ts'

/** The JSON text of the root field. */
export async function schemaText(
  { key, action, shape, bindArguments }: PlannedSchema,
  { viewer, variables, servedSchema }: ExecutionContext,
): Promise<string> {
  if (servedSchema === null) throw new Error('the schema has fields about itself, but nothing answers them')
  servedSchema.admit(viewer)
  if (action === 'served') return JSON.stringify(applyShape(await readServed(servedSchema, shape), shape))
  const args = bindArguments(variables)
  const input = { text: args.value('text'), file: args.value('file') ?? null }
  const changes = await servedSchema.changes(input, viewer, (name) => `${key}.${name}`)
  return JSON.stringify(applyShape(changes, shape))
}

/** The store is asked for uses only if they are selected. */
async function readServed(servedSchema: SchemaInspector, shape: ObjectShape): Promise<object> {
  const uses = selectsUses(shape) ? await servedSchema.uses() : {}
  return { ...servedSchema.picture(), ...servedSchema.files(), ...uses }
}
