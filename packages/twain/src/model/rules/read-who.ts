// Reads `who` of `@allow` and `@next`: anyone, signedIn, self, or a path of fields that ends at the viewer.

import { didYouMean } from '#base'
import type { Abstract, Field, OperationRule, Resource, Who } from '../model.ts'
import { accountType } from '../parse/account-type.ts'
import type { DeclaredModel } from '../parse/declare-types.ts'
import type { WordArgument } from '../parse/directive-arguments.ts'
import type { DeclaredType } from '../parse/outline.ts'

type WhoPath = Extract<Who, { kind: 'path' }>['path']

/** Null after a mistake. */
export function readWho(who: WordArgument, from: Resource, declarations: DeclaredModel): Who | null {
  const { report } = declarations
  if (who.text === 'anyone') return { kind: 'anyone' }
  const account = expectAccountType(who, declarations)
  if (!account) return null
  if (who.text === 'signedIn') return { kind: 'signedIn' }
  if (who.text === 'self') {
    if (from.name === account.name) return { kind: 'self' }
    const hint = `Name the field of ${from.name} that leads to ${account.name}.`
    report.at(who.node, `"self" is the viewer's own account, and ${from.name} is not ${account.name}.`, hint)
    return null
  }
  const path = walk(who, from, declarations)
  return path && { kind: 'path', path, text: who.text }
}

/** `who` of a rule that has no row. Null after a mistake. */
export function readCaller(who: WordArgument, declarations: DeclaredModel): OperationRule['who'] | null {
  if (who.text === 'anyone') return { kind: 'anyone' }
  if (who.text === 'signedIn') return expectAccountType(who, declarations) && { kind: 'signedIn' }
  declarations.report.at(
    who.node,
    `A custom operation has no row from which "${who.text}" could lead to the viewer.`,
    didYouMean(who.text, ['anyone', 'signedIn']).trim() || 'Write: who: "signedIn", or name a role: "admin".',
  )
  return null
}

/** Null after a mistake. */
function expectAccountType(who: WordArgument, declarations: DeclaredModel): DeclaredType | null {
  const account = accountType(declarations)
  if (account) return account
  declarations.report.at(
    who.node,
    `who: "${who.text}" needs a signed-in account, and no type has @account.`,
    'Write @account on the type that signs in.',
  )
  return null
}

function walk({ text, node }: WordArgument, from: Resource, declarations: DeclaredModel): WhoPath | null {
  const path: WhoPath = []
  let at: Resource | Abstract = from
  for (const name of text.split('.')) {
    const field: Field | undefined = at.fields.get(name)
    if (field && field.kind !== 'stored' && field.to === declarations.file?.resource) {
      declarations.report.at(
        node,
        `"${text}" leads to a file, and permission to read a file depends on permission to read its row.`,
        waysOf(at),
      )
      return null
    }
    if (field && field.kind !== 'stored') {
      path.push(field)
      at = field.to
      continue
    }
    if (field) {
      declarations.report.at(
        node,
        `"${text}" ends at ${at.name}.${name}, which is not a row that can be the viewer.`,
        waysOf(at),
      )
    } else if (!declarations.declared(at).fields.has(name)) {
      const words = [...relationsOf(at), ...(at === from ? ['anyone', 'signedIn', 'self'] : [])]
      declarations.report.at(
        node,
        `"${text}" leads nowhere: ${at.name} has no field ${name}.`,
        didYouMean(name, words).trim() || waysOf(at),
      )
    }
    return null
  }
  return path
}

function relationsOf(type: Resource | Abstract): string[] {
  return [...type.fields.values()].filter(({ kind }) => kind !== 'stored').map(({ name }) => name)
}

function waysOf(type: Resource | Abstract): string {
  const relations = relationsOf(type)
  return relations.length > 0
    ? `From ${type.name} a path can continue with ${relations.join(', ')}.`
    : `${type.name} refers to nothing.`
}
