// `createToken`. The auth module decides; this file passes the input on and shapes the result as the request selects it.

import type { IssuedActing, IssuedTicket, IssuedToken, Tokens } from '#auth'
import { isRecord, validationError } from '#base'
import type { PlannedField } from '../plan/plan-operation.ts'
import type { PlannedSignIn } from '../plan/plan-system-fields.ts'
import { type ExecutionContext, recordName } from './execution-context.ts'

type SignInContext = Pick<
  ExecutionContext,
  'variables' | 'viewer' | 'clientAddress' | 'clientName' | 'engine' | 'deprecated' | 'idempotency'
>

/** The JSON text of the root field. */
export async function signInText(
  root: PlannedField & PlannedSignIn,
  context: SignInContext,
  tokens: Tokens,
): Promise<string> {
  const { result, bindArguments, makes } = root
  const input = signInInput(bindArguments(context.variables).value('input'))
  const made = makes === 'Token' ? await signIn(input, context, tokens) : await linked(root.key, input, context, tokens)
  const values: Record<string, unknown> = { ...made, __typename: makes }
  return JSON.stringify(Object.fromEntries(result.map(({ key, name }) => [key, values[name] ?? null])))
}

/** A reference is its id alone in REST. Here it is null: `identities` reads the account along. */
async function linked(
  field: string,
  input: Record<string, unknown>,
  { viewer, idempotency }: SignInContext,
  tokens: Tokens,
): Promise<object> {
  const key = idempotency?.keyFor(field) ?? null
  const { identity, replayed } = await tokens.linkIdentity(input, viewer, key)
  if (idempotency !== null) idempotency[replayed ? 'replayed' : 'executed']++
  return { ...identity, account: null, _version: 1 }
}

function signIn(
  input: Record<string, unknown>,
  context: SignInContext,
  tokens: Tokens,
): Promise<IssuedToken | IssuedActing | IssuedTicket> {
  if (tokens.isTicketInput(input)) return tokens.makeTicket(input, () => context.viewer)
  if (tokens.isActingInput(input)) return tokens.actAs(input, () => context.viewer)
  const login = tokens.loginPath(input)
  if (login !== null) recordName(login, context)
  return tokens.signIn(input, context.clientAddress, context.clientName)
}

/** The auth module checks the members, with the same messages as in REST. In GraphQL null means that a member is left out. */
export function signInInput(input: unknown): Record<string, unknown> {
  if (isRecord(input)) {
    return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
  }
  throw validationError([{ path: '', code: 'TYPE', message: 'must be an object with a login and a password.' }])
}
