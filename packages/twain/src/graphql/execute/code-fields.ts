// `createCode`, `verifyAccount` and `mails`. The module auth decides; this file passes the input on and shapes the result as the request selects it.

import { keptMails, type Mailbox } from '#mail'
import type { SelectedField } from '../document/selection.ts'
import type { PlannedCode, PlannedMails } from '../plan/plan-system-fields.ts'
import type { ExecutionContext } from './execution-context.ts'
import { signInInput } from './sign-in-field.ts'

/** The JSON text of the root field. */
export async function codeText(
  { result, bindArguments, isUsed }: PlannedCode,
  context: Pick<ExecutionContext, 'variables' | 'tokens' | 'viewer' | 'clientAddress'>,
): Promise<string> {
  const { variables, tokens, viewer, clientAddress } = context
  const codes = tokens?.codes ?? null
  if (codes === null) throw new Error('logins are addresses, but there are no codes')
  const input = signInInput(bindArguments(variables).value('input'))
  if (isUsed)
    return JSON.stringify(
      select(result, { ...(await codes.verify(input, viewer, clientAddress)), __typename: 'Verification' }),
    )
  return JSON.stringify(select(result, { ...(await codes.create(input, clientAddress)), __typename: 'Code' }))
}

export function mailsText({ result }: PlannedMails, mailbox: Mailbox | null): string {
  return JSON.stringify(keptMails(mailbox).map((mail) => select(result, { ...mail, __typename: 'Mail' })))
}

function select(fields: readonly SelectedField[], values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(fields.map(({ key, name }) => [key, values[name] ?? null]))
}
