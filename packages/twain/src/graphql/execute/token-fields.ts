// `createToken`, `tokens`, `deleteToken`: root fields that are not rows. Who may is the affair of the room of identity; here
// the request's words become its, and its answer the request's shape.

import type { IssuedTicket, IssuedToken, TokenInfo, Tokens } from '#auth'
import { isRecord, type Viewer, validationError } from '#base'
import { type SelectedField, subselections } from '../document/selection.ts'
import type { VariableValues } from '../input/argument-values.ts'
import { FieldArguments, type PlanContext } from '../plan/plan-context.ts'
import type { TokenAction } from '../schema/root-fields.ts'
import { deletedText } from './format.ts'

export interface PlannedTokenField {
  kind: 'token'
  action: TokenAction
  /** What is asked of each token, or of the result of a delete. */
  result: readonly SelectedField[]
  /** The field's arguments with the variables of a request. */
  bindArguments(variables: VariableValues): FieldArguments
}

export function planToken(action: TokenAction, field: SelectedField, context: PlanContext): PlannedTokenField {
  const type = action === 'delete' ? 'DeleteResult' : 'Token'
  const parent = action === 'list' ? context.schema.getQueryType() : context.schema.getMutationType()
  const definitions = parent?.getFields()[field.name]?.args ?? []
  return {
    kind: 'token',
    action,
    result: context.collect(subselections(field), (name) => name === type),
    bindArguments: (variables) => new FieldArguments(field.node, definitions, variables),
  }
}

/** Who asks, and from where: guesses are counted by it. */
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
  const given = root.bindArguments(variables)
  switch (root.action) {
    case 'create':
      return JSON.stringify(
        shapeToken(await createToken(signInInput(given.value('input')), viewer, clientAddress, tokens), root),
      )
    case 'list':
      return JSON.stringify((await tokens.list(viewer)).map((token) => shapeToken(token, root)))
    case 'delete': {
      const id = String(given.value('id'))
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
  return tokens.asksForTicket(input) ? tokens.makeTicket(input, () => viewer) : tokens.signIn(input, address)
}

function shapeToken(
  token: IssuedToken | IssuedTicket | TokenInfo,
  { result }: PlannedTokenField,
): Record<string, unknown> {
  const values: Record<string, unknown> = { ...token, __typename: 'Token' }
  return Object.fromEntries(result.map(({ key, name }) => [key, values[name] ?? null]))
}

/** A variable here is judged by who takes it, in the same words as in REST; null is GraphQL's way to leave a member out. */
export function signInInput(input: unknown): Record<string, unknown> {
  if (isRecord(input)) {
    return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
  }
  throw validationError([{ path: '', code: 'TYPE', message: 'must be an object with a login and a password.' }])
}
