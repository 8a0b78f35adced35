// The parts of a GraphQL document with variables.

export interface GraphqlTwin {
  query: string
  variables: Record<string, unknown>
}

export type UsedArgument = readonly [name: string, declared: string, value: unknown]

export function argumentList(used: readonly (readonly [name: string, ...unknown[]])[]): string {
  return used.length === 0 ? '' : `(${used.map(([name]) => `${name}: $${name}`).join(', ')})`
}

export function declarations(used: readonly (readonly [name: string, declared: string, ...unknown[]])[]): string {
  return used.length === 0 ? '' : ` (${used.map(([name, declared]) => `$${name}: ${declared}`).join(', ')})`
}
