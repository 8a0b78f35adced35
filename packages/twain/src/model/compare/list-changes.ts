// The differences between two schemas as data for programs: `twain check --json`, and the change report of a running server.

import type { Model, SourceLocation } from '../model.ts'
import type { Difference } from './differences.ts'

export interface ChangeList {
  verdict: Difference['kind'] | 'same'
  differences: ListedChange[]
}

export interface ListedChange extends SourceLocation {
  verdict: Difference['kind']
  path: string
  message: string
  affects: Difference['affects']
  /** How to avoid the problem; null: nothing is wrong. */
  instead: string | null
  /** What it means for rows: `stay`, or `dropped`, or what must be true of them: `none`, `filled`, `unique`, `unused`. */
  rows: Difference['rows']
}

/** The worst first. */
export const verdicts = ['breaking', 'warning', 'additive'] as const

/** `file` is the place of what is in no file any more. */
export function listChanges(differences: readonly Difference[], after: Model, file: string): ChangeList {
  const list = differences.map(({ kind, path, message, affects, hint, rows }) => ({
    verdict: kind,
    path,
    message,
    affects,
    instead: hint === '' ? null : hint,
    rows,
    ...placeOfPath(path, after, file),
  }))
  return { verdict: verdicts.find((kind) => list.some(({ verdict }) => verdict === kind)) ?? 'same', differences: list }
}

/** The current place: of the field, else of its type, else the start of `file`. */
export function placeOfPath(path: string, { types }: Model, file: string): SourceLocation {
  const [typeName = '', rest = ''] = path.split('.')
  const type = types.get(typeName)
  if (type === undefined) return { file, line: 1, column: 1 }
  const [fieldName = ''] = rest.split(/[+(]/)
  const field = 'fields' in type ? type.fields.get(fieldName) : undefined
  const computed = type.kind === 'resource' ? type.computed.get(fieldName) : undefined
  return field?.place ?? computed?.place ?? type.place
}
