// Reads `@auto`: fields that only the server sets.

import type { Located, MistakeReport } from '../mistakes.ts'
import type { Abstract, ReferenceField, Resource, StoredField, StoredType } from '../model.ts'
import { accountType, canBeAccount } from '../parse/account-type.ts'
import type { DeclaredModel } from '../parse/declare-types.ts'
import { findUse, wordArgument } from '../parse/directive-arguments.ts'
import type { DeclaredField } from '../parse/outline.ts'

export function readAuto(
  owner: Resource,
  declared: DeclaredField,
  type: StoredType,
  report: MistakeReport,
): StoredField['auto'] {
  const use = findUse(declared.uses, 'auto')
  const set = wordArgument(use, 'set')
  if (!use || !set) return null
  const what = `${owner.name}.${declared.name}`
  checkAlone(what, declared, report)
  if (set.text === 'VIEWER') {
    report.at(set.node, `${what} can't store the viewer.`, 'The viewer is an account: make it a reference to its type.')
    return null
  }
  if (type.kind !== 'scalar' || type.name !== 'DateTime') {
    report.at(set.node, `${what} can't store a time.`, `Write: ${declared.name}: DateTime! @auto(set: ${set.text}).`)
    return null
  }
  return set.text as StoredField['auto']
}

/** `VIEWER` is the only value that a reference can be set to. */
export function readReferenceAuto(
  owner: Resource,
  declared: DeclaredField,
  to: Resource | Abstract,
  declarations: DeclaredModel,
): ReferenceField['auto'] {
  const { report } = declarations
  const set = wordArgument(findUse(declared.uses, 'auto'), 'set')
  if (!set) return null
  const what = `${owner.name}.${declared.name}`
  checkAlone(what, declared, report)
  if (set.text !== 'VIEWER') {
    report.at(set.node, `${what} is a reference: it can't store a time.`, 'Make it a DateTime.')
    return null
  }
  checkCanBeViewer(set.node, to, declarations)
  return 'VIEWER'
}

/** Whether the reference can point at an account, so that `VIEWER` fits. */
export function checkCanBeViewer(node: Located, to: Resource | Abstract, declarations: DeclaredModel): void {
  if (canBeAccount(to, declarations)) return
  const account = accountType(declarations)
  const hint = account ? `Make it a reference to ${account.name}.` : `Write @account on ${to.name}.`
  declarations.report.at(node, `The viewer is an account, and ${to.name} is not the account type.`, hint)
}

function checkAlone(what: string, declared: DeclaredField, report: MistakeReport): void {
  for (const other of ['default', 'immutable']) {
    const clash = findUse(declared.uses, other)
    if (clash)
      report.at(clash.node, `${what} is set by the server, so @${other} has no meaning here.`, 'Keep @auto alone.')
  }
}
