// `createToken`, `tokens` and `deleteToken`. The auth module decides what the viewer may do; this file passes the input on and
// shapes the result as the request selects it.

import type { IssuedTicket, IssuedToken, TokenInfo, Tokens } from '#auth'
import { isRecord, validationError } from '#base'
import type { Viewer } from '#base/http'
import type { VariableValues } from '../input/argument-values.ts'
import type { PlannedTokenField } from '../plan/plan-system-fields.ts'
import { deletedText } from './format.ts'

/** The auth module counts failed sign-ins by the address. */
interface TokenCaller {
  variables: VariableValues
  viewer: Viewer
  clientAddress: string
}

/** The JSON text of the root field. */
export async function tokenText(
  root: PlannedTokenField,
  { variables, viewer, clientAddress }: TokenCaller,
  tokens: Tokens,
): Promise<string> {
  const args = root.bindArguments(variables)
  switch (root.action) {
    case 'create':
      return JSON.stringify(
        shapeToken(await createToken(signInInput(args.value('input')), viewer, clientAddress, tokens), root),
      )
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
  viewer: Viewer,
  address: string,
  tokens: Tokens,
): Promise<IssuedToken | IssuedTicket> {
  return tokens.isTicketInput(input) ? tokens.makeTicket(input, () => viewer) : tokens.signIn(input, address)
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
