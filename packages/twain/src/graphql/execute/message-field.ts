// The root field `webhookMessage`: finds the delivery as the viewer may read it. The module events makes the message; this file
// shapes it as the request selects it.

import { ApiError } from '#base'
import { applyShape } from '../plan/object-shape.ts'
import type { PlannedMessage } from '../plan/plan-message.ts'
import type { ExecutionContext } from './execution-context.ts'
import { expectRow } from './row-of-field.ts'

/** The JSON text of the root field. */
export async function messageText(
  { key, visibility, shape, bindArguments }: PlannedMessage,
  context: ExecutionContext,
): Promise<string> {
  const { engine, variables, viewer, webhooks } = context
  const of = engine.model.system.resources.find(({ system }) => system?.isRedelivered === true)
  if (of === undefined || webhooks === null) throw new Error('the schema has messages, but nothing answers them')
  engine.admitRead(of, viewer)
  const id = String(bindArguments(variables).value('delivery'))
  await expectRow(of, { id, place: `${key}.delivery` }, visibility, context)
  const message = await webhooks.message(id, viewer)
  if (message === null) throw new ApiError('NOT_FOUND', `There is no ${of.name} with the id "${id}".`)
  return JSON.stringify(applyShape(message, shape))
}
