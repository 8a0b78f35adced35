// Which type signs in, and which references can therefore hold the viewer. Asked while fields are still being read, so
// it looks at what is declared.

import type { Abstract, Resource } from '../model.ts'
import type { DeclaredModel } from './declare-types.ts'
import { findUse } from './directive-arguments.ts'
import type { DeclaredType } from './outline.ts'

/** The first type with `@account`; a second one is a mistake of its own. */
export function accountType({ outline }: DeclaredModel): DeclaredType | null {
  for (const type of outline.types.values()) if (findUse(type.uses, 'account')) return type
  return null
}

/** Whether a row of this type can be an account. */
export function canBeAccount(type: Resource | Abstract, sketch: DeclaredModel): boolean {
  const account = accountType(sketch)?.name
  return type.name === account || (type.kind === 'abstract' && type.members.some(({ name }) => name === account))
}
