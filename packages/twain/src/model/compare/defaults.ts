// Compares the value that a create stores for an omitted field. Fields that became mandatory are reported elsewhere.

import type { Json } from '../model.ts'
import type { Differences } from './differences.ts'

export function compareDefaults(
  before: Json | undefined,
  after: Json | undefined,
  path: string,
  found: Differences,
): void {
  const was = printDefault(before)
  const is = printDefault(after)
  if (was !== is) found.warning(path, `a create without ${path} stored ${was} and stores ${is} now`, 'writers')
}

function printDefault(value: Json | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}
