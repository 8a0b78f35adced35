// Reads `@account`: the one type whose rows sign in, with a unique text as login and a readable field for roles.

import { didYouMean } from '#base'
import { hasAddresses } from '../members-of.ts'
import { placeOf } from '../mistakes.ts'
import type { Account, AccountTime, Field, Resource, Rule, StoredField, Verification } from '../model.ts'
import { accountType } from '../parse/account-type.ts'
import type { DeclaredModel } from '../parse/declare-types.ts'
import { findUse, wordArgument } from '../parse/directive-arguments.ts'
import type { DeclaredType } from '../parse/outline.ts'
import type { DirectiveUse } from '../parse/read-directives.ts'

/** Null if the file has no account type, or after a mistake. */
export function readAccount(declarations: DeclaredModel): Account | null {
  let account: Account | null = null
  for (const declared of declarations.outline.types.values()) {
    const use = findUse(declared.uses, 'account')
    const read = use && readUse(use, declared, declarations)
    if (read) account = read
  }
  return account
}

function readUse(use: DirectiveUse, declared: DeclaredType, declarations: DeclaredModel): Account | null {
  const { report } = declarations
  const type = declarations.types.get(declared.name)
  const first = accountType(declarations)
  if (type?.kind !== 'resource') {
    report.at(use.node, `${declared.name} has no id, so it has no rows that could sign in.`, 'Add: id: ID!.')
    return null
  }
  if (first && first !== declared) {
    report.at(use.node, `${first.name} is the account type already.`, 'Only one type can have @account.')
    return null
  }
  checkPassword(declared, declarations)
  const login = readLogin(use, type, declarations)
  const roles = readRoles(use, type, declarations)
  if (!login) return null
  login.isLogin = true
  const lockedAt = addLockedAt(type, use)
  const account: Account = { resource: type, login, roles, verification: 'OFF', verifiedAt: null, lockedAt }
  const word = wordArgument(use, 'verification')
  if (hasAddresses(account)) {
    account.verification = (word?.text as Verification | undefined) ?? 'OPTIONAL'
    account.verifiedAt = addVerifiedAt(type, use)
  } else if (word !== null && word.text !== 'OFF') {
    const message = `${type.name}.${login.name} is no address, so no mail can prove it: verification must be OFF.`
    report.at(word.node, message, 'Write @constraint(format: "email") on it, or leave verification out.')
  }
  return account
}

/** The field that the server adds to accounts with addresses. */
export const verifiedAtName = '_verifiedAt'

function addVerifiedAt(owner: Resource, use: DirectiveUse): StoredField {
  const description = 'When somebody proved that they read the mails of this address; null: nobody has.'
  return addTime(owner, use, { name: verifiedAtName, description, rules: [], auto: 'VERIFY_TIME' })
}

/** Only administrators read it: nobody else learns that an account is locked. */
function addLockedAt(owner: Resource, use: DirectiveUse): StoredField {
  const admin: Rule = {
    ...{ who: { kind: 'anyone' }, role: 'admin', verified: false },
    ...{ to: ['READ'], where: null, fields: null, place: placeOf(use.node) },
  }
  const description =
    'When an administrator locked the account, with `_locked`; null: it is not locked. For the role admin.'
  return addTime(owner, use, { name: '_lockedAt', description, rules: [admin], auto: 'LOCK_TIME' })
}

/** A field that the server adds. */
function addTime(
  owner: Resource,
  use: DirectiveUse,
  more: Pick<StoredField, 'name' | 'description' | 'rules'> & { auto: AccountTime },
): StoredField {
  const field: StoredField = {
    kind: 'stored',
    ...more,
    owner,
    deprecated: null,
    required: false,
    place: placeOf(use.node),
    type: { kind: 'scalar', name: 'DateTime' },
    isOnRequest: true,
    immutable: false,
    constraint: null,
  }
  ;(owner.fields as Map<string, Field>).set(field.name, field)
  return field
}

/** Writes of an account take these beside its fields, so no field may have such a name. */
const passwordNames = { password: 'has a password', currentPassword: 'confirms changes with its current password' }

function checkPassword({ name, fields }: DeclaredType, { report }: DeclaredModel): void {
  for (const [member, why] of Object.entries(passwordNames)) {
    const field = fields.get(member)
    if (!field) continue
    report.at(
      field.node.name,
      `${name}.${member} is taken: every account ${why}, which is written with the row and never read.`,
      'Remove it, or use another name.',
    )
  }
}

/** The other members of a token request, which a login can't be named after. */
const tokenWords = ['password', 'code', 'secret', 'device', 'captcha', 'refreshToken', 'for']

function readLogin(use: DirectiveUse, type: Resource, { report, declared }: DeclaredModel): StoredField | null {
  const word = wordArgument(use, 'login')
  const name = word?.text ?? 'email'
  const field = type.fields.get(name)
  const node = word?.node ?? use.node
  const unique = [...type.fields.values()].filter((other) => isText(other) && isUnique(type, other)).map(nameOf)
  const hint = didYouMean(name, unique).trim() || `Write: ${name}: String! @unique.`
  if (!field && declared(type).fields.has(name)) return null
  if (!field) report.at(node, `${type.name} has no field ${name} to sign in with.`, hint)
  else if (!isText(field)) report.at(node, `${type.name}.${name} is not a text, so nobody can sign in with it.`, hint)
  else if (!isUnique(type, field)) {
    report.at(node, `${type.name}.${name} is not unique, so it does not name one account.`, hint)
  } else if (tokenWords.includes(name)) {
    report.at(node, `"${name}" is a member of the request that signs in.`, 'Give the login another name.')
  } else return field
  return null
}

function readRoles(use: DirectiveUse, type: Resource, { report, declared }: DeclaredModel): StoredField | null {
  const word = wordArgument(use, 'roles')
  if (!word) return [type.fields.get('roles'), type.fields.get('role')].find(isRoles) ?? null
  const field = type.fields.get(word.text)
  if (isRoles(field)) return field
  if (!field && declared(type).fields.has(word.text)) return null
  if (field) {
    const hint = 'Roles are a String, an enum, or a list of these.'
    report.at(word.node, `${type.name}.${word.text} can't store roles.`, hint)
  } else {
    const fitting = [...type.fields.values()].filter(isRoles).map(nameOf)
    const hint = didYouMean(word.text, fitting).trim() || `Write: ${word.text}: [String!]!.`
    report.at(word.node, `${type.name} has no field ${word.text}.`, hint)
  }
  return null
}

function isText(field: Field): field is StoredField {
  return field.kind === 'stored' && field.type.kind === 'scalar' && field.type.name === 'String'
}

function isRoles(field: Field | undefined): field is StoredField {
  if (field?.kind !== 'stored') return false
  const type = field.type.kind === 'list' ? field.type.of : field.type
  return type.kind === 'enum' || (type.kind === 'scalar' && type.name === 'String')
}

function isUnique(type: Resource, field: Field): boolean {
  return type.indexes.some(({ unique, fields }) => unique && fields.length === 1 && fields[0] === field)
}

function nameOf({ name }: Field): string {
  return name
}
