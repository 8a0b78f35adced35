// `createInvitation`, `invitations`, `resendInvitation` and `deleteInvitation`. The module auth decides; this file plans the
// create and shapes the result as the request selects it.

import { invitationType } from '#model/names'
import { planNewAccount } from '#plan/build'
import type { SelectedField } from '../document/selection.ts'
import type { PlannedInvitation } from '../plan/plan-system-fields.ts'
import { type ExecutionContext, recordUsage } from './execution-context.ts'
import { deletedText } from './format.ts'

/** The JSON text of the root field. */
export async function invitationText(
  { action, visibility, result, bindArguments }: PlannedInvitation,
  context: ExecutionContext,
): Promise<string> {
  const { engine, variables, viewer, caller, tokens } = context
  const invitations = tokens?.invitations ?? null
  if (invitations === null) throw new Error('the schema has invitations, but nobody can be invited')
  if (action === 'list') {
    return JSON.stringify((await invitations.list(viewer)).map((one) => select(one, result)))
  }
  const args = bindArguments(variables)
  if (action === 'delete') {
    const id = String(args.value('id'))
    return deletedText(invitationType, { found: await invitations.delete(id, viewer), id }, result)
  }
  if (action === 'resend') {
    return JSON.stringify(select(await invitations.resend(String(args.value('id')), viewer), result))
  }
  invitations.admit(viewer)
  const input = args.value('input') as Record<string, unknown>
  const boundPlan = planNewAccount(input, engine.model.account!.resource, visibility, engine.limits)
  recordUsage(boundPlan, context)
  const { invitation } = await invitations.create(boundPlan, input, viewer, caller)
  return JSON.stringify(select(invitation, result))
}

function select(values: Readonly<Record<string, unknown>>, fields: readonly SelectedField[]): object {
  const typed: Readonly<Record<string, unknown>> = { ...values, __typename: invitationType }
  return Object.fromEntries(fields.map(({ key, name }) => [key, typed[name] ?? null]))
}
