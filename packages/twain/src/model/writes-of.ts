// The writes that a type has.

import type { Abstract, Resource } from './model.ts'

export type WriteOperation = 'create' | 'replace' | 'update' | 'delete'

const everyWrite: readonly WriteOperation[] = ['create', 'replace', 'update', 'delete']

/** A view is a read-only type over a SELECT of the operator. */
export function isView(type: Resource | Abstract): boolean {
  return type.kind === 'resource' && type.view !== undefined
}

/** The writes that a type has. Those of a type of the server are the actions that its rules name; a view has none. */
export function writesOf({ system, view, rules }: Resource): readonly WriteOperation[] {
  if (view !== undefined) return []
  if (system === undefined) return everyWrite
  const named = new Set(rules.flatMap(({ to }) => to))
  return everyWrite.filter((write) => write !== 'replace' && named.has(actionOf[write]))
}

const actionOf = { create: 'CREATE', update: 'UPDATE', delete: 'DELETE' } as const
