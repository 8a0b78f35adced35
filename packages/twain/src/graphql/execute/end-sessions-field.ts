// `deleteTokens`. The module auth decides; this file passes the arguments on and shapes the result as the request selects it.

import type { Tokens } from '#auth'
import type { PlannedEndSessions } from '../plan/plan-system-fields.ts'
import type { ExecutionContext } from './execution-context.ts'
import { bulkText } from './format.ts'

/** The JSON text of the root field. In GraphQL null means that an argument is left out. */
export async function endSessionsText(
  { result, bindArguments }: PlannedEndSessions,
  { variables, viewer }: Pick<ExecutionContext, 'variables' | 'viewer'>,
  tokens: Tokens,
): Promise<string> {
  const args = bindArguments(variables)
  const input = args.names().map((name) => [name, args.value(name) ?? null] as const)
  const ids = await tokens.endSessions(Object.fromEntries(input.filter(([, value]) => value !== null)), viewer)
  return bulkText({ ids }, result)
}
