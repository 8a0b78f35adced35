// Finds the account type, and the references that can therefore point at the viewer. Fields are still being read then, so
// this looks at declarations.

import type { Abstract, Resource } from '../model.ts'
import type { DeclaredModel } from './declare-types.ts'
import { findUse } from './directive-arguments.ts'
import type { DeclaredType, SchemaOutline } from './outline.ts'

/** The first type with `@account`; a second one is reported elsewhere. */
export function accountType({ outline }: Pick<DeclaredModel, 'outline'>): DeclaredType | null {
  let account = accounts.get(outline)
  if (account === undefined) {
    account = outline.types.values().find(({ uses }) => findUse(uses, 'account')) ?? null
    accounts.set(outline, account)
  }
  return account
}

/** Each rule of a schema asks for it. */
const accounts = new WeakMap<SchemaOutline, DeclaredType | null>()

/** Whether a row of this type can be an account. */
export function canBeAccount(type: Resource | Abstract, declarations: DeclaredModel): boolean {
  const account = accountType(declarations)?.name
  return type.name === account || (type.kind === 'abstract' && type.members.some(({ name }) => name === account))
}
