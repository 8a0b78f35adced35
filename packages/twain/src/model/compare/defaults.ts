// What a create that leaves a field out gets. Where the field must then be given is told elsewhere.

import type { Json } from '../model.ts'
import type { Differences } from './differences.ts'

export function compareDefaults(
  before: Json | undefined,
  after: Json | undefined,
  path: string,
  found: Differences,
): void {
  const was = spell(before)
  const is = spell(after)
  if (was !== is) found.warning(path, `who leaves ${path} out got ${was} and gets ${is} now`, 'writers')
}

function spell(value: Json | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}
