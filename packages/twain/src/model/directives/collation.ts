// Reads `@collation`.

import { findUse, wordArgument } from '../parse/directive-arguments.ts'
import type { DeclaredField } from '../parse/outline.ts'

/** Whether the texts of the field are ordered by code point. */
export function isBinary({ uses }: DeclaredField): boolean {
  return wordArgument(findUse(uses, 'collation'), 'name')?.text === 'BINARY'
}
