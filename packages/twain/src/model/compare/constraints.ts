// Compares constraints. One that rejects a value that was accepted breaks writers; existing rows stay as they are.

import type { Constraint } from '../model.ts'
import type { Differences } from './differences.ts'

export function compareConstraints(
  before: Constraint | null,
  after: Constraint | null,
  path: string,
  found: Differences,
): void {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]) as Set<keyof Constraint>
  for (const name of names) {
    const was = before?.[name]
    const is = after?.[name]
    if (was === is) continue
    const change = `${name} of ${path} was ${was ?? 'not set'} and is ${is ?? 'not set'} now`
    if (isWider(name, was, is)) found.additive(path, change)
    else found.breaking(path, change, { affects: 'writers' }, 'Set it back, or wider.')
  }
}

function isWider(name: keyof Constraint, was: number | string | undefined, is: number | string | undefined): boolean {
  if (is === undefined) return true
  if (typeof was !== 'number' || typeof is !== 'number') return false
  return name.startsWith('min') ? is < was : is > was
}
