// `createToken`, `tokens` and `deleteToken`. The auth module decides what the viewer may do; this file passes the input on and
// shapes the result as the request selects it.

import type { IssuedTicket, IssuedToken, TokenInfo, Tokens } from '#auth'
import { isRecord, validationError } from '#base'
import type { PlannedTokenField } from '../plan/plan-system-fields.ts'
import { type ExecutionContext, recordName } from './execution-context.ts'
import { deletedText } from './format.ts'

type TokenContext = Pick<ExecutionContext, 'variables' | 'viewer' | 'clientAddress' | 'engine' | 'deprecated'>

/** The JSON text of the root field. */
export async function tokenText(root: PlannedTokenField, context: TokenContext, tokens: Tokens): Promise<string> {
  const { viewer } = context
  const args = root.bindArguments(context.variables)
  switch (root.action) {
    case 'create':
      return JSON.stringify(shapeToken(await createToken(signInInput(args.value('input')), context, tokens), root))
    case 'list':
      return JSON.stringify((await tokens.list(viewer)).map((token) => shapeToken(token, root)))
    case 'delete': {
      const id = String(args.value('id'))
      return deletedText('Token', { id, found: await tokens.end(viewer, id) }, root.result)
    }
  }
}

function createToken(
  input: Record<string, unknown>,
  context: TokenContext,
  tokens: Tokens,
): Promise<IssuedToken | IssuedTicket> {
  if (tokens.isTicketInput(input)) return tokens.makeTicket(input, () => context.viewer)
  const login = tokens.loginPath(input)
  if (login !== null) recordName(login, context)
  // The auth module counts failed sign-ins by the address.
  return tokens.signIn(input, context.clientAddress)
}

function shapeToken(
  token: IssuedToken | IssuedTicket | TokenInfo,
  { result }: PlannedTokenField,
): Record<string, unknown> {
  const values: Record<string, unknown> = { ...token, __typename: 'Token' }
  return Object.fromEntries(result.map(({ key, name }) => [key, values[name] ?? null]))
}

/** The auth module checks the members, with the same messages as in REST. In GraphQL null means that a member is left out. */
export function signInInput(input: unknown): Record<string, unknown> {
  if (isRecord(input)) {
    return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
  }
  throw validationError([{ path: '', code: 'TYPE', message: 'must be an object with a login and a password.' }])
}
