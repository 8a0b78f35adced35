// The queries and mutations that a contract gives (product.md, section 2): name, type, and the names of the arguments.

import type { Abstract, Field, Resource } from '../model.ts'

export interface Operation {
  name: string
  /** As it is spelled in SDL. */
  type: string
  args: string[]
}

export function queriesOf({ kind, name, list, single }: Resource | Abstract): Operation[] {
  const many: Operation[] = [
    { name: list, type: `[${name}!]!`, args: ['offset', 'limit', 'where', 'orderBy'] },
    { name: `${list}Connection`, type: `${name}Connection!`, args: ['first', 'after', 'where', 'orderBy'] },
  ]
  return kind === 'resource' ? [{ name: single, type: name, args: ['id'] }, ...many] : many
}

export function mutationsOf({ name, fields }: Resource): Operation[] {
  const row = `${name}!`
  const updatable = [...fields.values()].filter(isUpdatable).map((field) => field.name)
  return [
    { name: `create${name}`, type: row, args: ['input'] },
    { name: `replace${name}`, type: row, args: ['id', 'input', 'ifVersion'] },
    { name: `update${name}`, type: row, args: ['id', ...updatable, 'input', 'ifVersion'] },
    { name: `delete${name}`, type: 'DeleteResult!', args: ['id', 'ifVersion'] },
  ]
}

function isUpdatable(field: Field): boolean {
  if (field.kind === 'stored') return !field.auto && !field.immutable
  return field.kind === 'links' || (field.kind === 'reference' && !field.immutable)
}
