// The input object of a write, from a REST body or a GraphQL argument → the fields that it sets.
// Values become parameters; `check` checks each against its field.

import { ApiError, didYouMean, isRecord } from '#base'
import {
  type Field,
  incrementMember,
  isOwned,
  type Json,
  type LinksField,
  type ListField,
  listMember,
  listOfMember,
  type ReferenceField,
  type Resource,
  type StoredField,
  type ToManyField,
} from '#model'
import { namesOf } from '#model/names'
import { checkValue } from '../check/check-value.ts'
import { containsEnum } from '../check/enum-values.ts'
import { isSetField, type Selection, type SetField, type SetMember, type WriteBatch, type WritePlan } from '../plan.ts'
import { incrementRefused, planIncrements } from './increments.ts'
import { isOwnWrite, listSetTwice, planList } from './list-input.ts'
import type { PlanBuilder } from './plan-builder.ts'
import { currentValue } from './request-value.ts'

/** `merge`: value types are merged into the current value (RFC 7396), not replaced. */
export function planInput(
  tree: unknown,
  of: Resource,
  action: 'create' | 'replace' | 'update',
  builder: PlanBuilder,
  place: string,
  merge: boolean,
): SetMember[] {
  return planFields(tree, of, null, action, builder, place, merge)
}

/** `within` is the list that a nested row belongs to. The reference back of a new row is implied. */
function planFields(
  tree: unknown,
  of: Resource,
  within: ListField | null,
  action: 'create' | 'replace' | 'update',
  builder: PlanBuilder,
  place: string,
  merge: boolean,
): SetMember[] {
  const input = currentValue(tree)
  if (!isRecord(input)) {
    builder.problem(place, 'TYPE', `must be an object with the fields of ${of.name}.`)
    return []
  }
  const by = action === 'create' && within?.kind === 'many' ? within : null
  const isNestedAccount = within !== null && builder.visibility.account === of
  const sets: SetMember[] = []
  for (const name of Object.keys(input)) {
    const leaf = (input as Record<string, unknown>)[name]
    if (leaf === undefined) continue
    if (builder.hasEnoughProblems) break
    const path = place === '' ? name : `${place}.${name}`
    const field = of.fields.get(name)
    const list = listOfMember(name, of)
    // A row shows both names, and may be sent back as it is.
    if (field !== undefined && !Object.hasOwn(input, field.name)) builder.noteName(name, field, of)
    if (isNestedAccount && isOwnWrite(name, of)) {
      builder.problem(path, 'READONLY', `can only be changed by a write of the ${of.name} itself.`)
    } else if (list !== undefined) {
      builder.noteName(name.slice(1), list, of)
      sets.push(...planListOf(leaf, list, input, action, builder, path, merge))
    } else if (field === undefined && name === 'password' && builder.visibility.account === of) {
      sets.push({ field: passwordOf(of), parameter: builder.parameter({ kind: 'password' }, leaf, path) })
    } else if (field === undefined && name === 'currentPassword' && isConfirmed(of, action, builder)) {
      sets.push(currentPassword(of, leaf, path, builder))
    } else if (field === undefined && name === lockMember && isLocked(of, action, place, builder)) {
      sets.push({ field: unreadField(of, lockMember), parameter: builder.parameter(boolean, leaf, path) })
    } else if (field === undefined && name === captchaMember && isNewAccount(of, action, builder)) {
      const accepts = { kind: 'field', field: captchaOf(of), merge: false } as const
      sets.push({ field: accepts.field, parameter: builder.parameter(accepts, leaf, path) })
    } else if (field === undefined && name === incrementMember) {
      if (action === 'update') sets.push(...planIncrements(leaf, of, input, builder, path))
      else builder.problem(path, 'UNKNOWN', incrementRefused(action))
    } else if (field === undefined) {
      const near = didYouMean(name, writableNames(of))
      builder.problem(path, 'UNKNOWN', `"${name}" is not a field of ${of.name}.${near}`)
    } else if (action === 'replace' && currentValue(leaf) === null && builder.visibility.maybeHidden(field)) {
      // A read gave null for a field that the viewer can't see, so null in a replace keeps its value.
    } else if (field === by?.via) {
      builder.problem(path, 'READONLY', `is the ${field.to.name} that the row is created with; leave it out.`)
    } else if (isNamedTwice(name, field, input)) {
      builder.problem(path, 'UNKNOWN', `is the previous name of ${field.name}, which is set too.`)
    } else if (action === 'create' && isOwned(field)) {
      sets.push({ field, rows: planRows(leaf, field, builder, path) })
    } else if (isSettable(field, action, builder, path, within === null)) {
      const merged = merge && field.kind === 'stored' && field.type.kind === 'value'
      const mayKeep = action !== 'create' && field.kind === 'stored' && containsEnum(field.type)
      const accepts = { kind: 'field', field, merge: merged, ...(mayKeep && { mayKeep }) } as const
      const parameter = builder.parameter(accepts, leaf, path)
      sets.push({ field, parameter })
    }
  }
  if (action !== 'update') checkRequired(of, by, sets, action, builder, place)
  const needsPassword = builder.visibility.account === of && builder.visibility.isSystem !== true
  if (action === 'create' && needsPassword && !sets.some(isPassword)) {
    builder.problem(place === '' ? 'password' : `${place}.password`, 'REQUIRED', 'is required.')
  }
  if (within === null && isConfirmed(of, action, builder) && sets.some(isCredential) && !sets.some(isCurrentPassword)) {
    sets.push(currentPassword(of, null, 'currentPassword', builder))
  }
  return sets
}

/** A list is set or changed, under one of its names. */
function planListOf(
  leaf: unknown,
  list: ListField,
  input: object,
  action: 'create' | 'replace' | 'update',
  builder: PlanBuilder,
  path: string,
  merge: boolean,
): SetMember[] {
  const names = namesOf(list)
  const isChangedTwice = names.length > 1 && names.every((name) => Object.hasOwn(input, listMember({ name })))
  if (action === 'replace') builder.problem(path, 'UNKNOWN', 'can be sent in a create or an update, not in a replace.')
  else if (names.some((name) => Object.hasOwn(input, name))) builder.problem(path, 'UNKNOWN', listSetTwice(list))
  else if (isChangedTwice && `.${path}`.endsWith(`._${list.alias}`))
    builder.problem(path, 'UNKNOWN', `is the previous name of ${listMember(list)}, which is there too.`)
  else {
    return planList(leaf, list, action, builder, path, (row, what, place) =>
      planFields(row, list.to as Resource, list, what, builder, place, what === 'update' && merge),
    )
  }
  return []
}

/** Whether the write may change the password or the login of an account, which its owner confirms. */
function isConfirmed(of: Resource, action: string, { visibility }: PlanBuilder): boolean {
  return action !== 'create' && visibility.account === of && visibility.isSystem !== true
}

/** Locks an account, or unlocks it. */
export const lockMember = '_locked'

const boolean = { kind: 'type', type: { kind: 'scalar', name: 'Boolean' } } as const

/** Only an update of the account itself locks it. */
function isLocked(of: Resource, action: string, place: string, { visibility }: PlanBuilder): boolean {
  return action === 'update' && place === '' && visibility.account === of
}

export function isLock(member: SetMember): member is SetField {
  return isSetField(member) && member.field.name === lockMember
}

/** For custom code that asks those who sign up for one (`attempt`). */
export const captchaMember = '_captcha'

/** Whether the write may create an account. */
function isNewAccount(of: Resource, action: string, { visibility }: PlanBuilder): boolean {
  return action !== 'update' && visibility.account === of
}

export function isCaptcha(member: SetMember): member is SetField {
  return isSetField(member) && member.field.name === captchaMember
}

/** What a delete of an account sets: the confirmation of its owner. `sent` is the current password; undefined without one. */
export function planDeletion(of: Resource, sent: unknown, builder: PlanBuilder): SetMember[] {
  return isConfirmed(of, 'delete', builder) ? [currentPassword(of, sent ?? null, 'currentPassword', builder)] : []
}

function isCredential(member: SetMember): boolean {
  if (!isSetField(member)) return false
  const { field, parameter } = member
  return parameter.accepts.kind === 'password' || (field.kind === 'stored' && field.isLogin === true)
}

/** A list may be set under one name only. A stored field may be set under both names, since a row shows both: the store finds out
 *  which of the two was changed. */
function isNamedTwice(name: string, field: Field, input: object): boolean {
  if (field.kind === 'stored' || field.kind === 'reference') return false
  return name !== field.name && Object.hasOwn(input, field.name)
}

/** Rows of an owned list. Null is an empty list. */
function planRows(leaf: unknown, by: ToManyField, builder: PlanBuilder, place: string): SetMember[][] {
  const rows = currentValue(leaf)
  if (rows === null) return []
  if (!Array.isArray(rows)) {
    builder.problem(place, 'TYPE', `must be a list of objects with the fields of ${by.to.name}.`)
    return []
  }
  if (!builder.countRows(rows.length)) {
    builder.problem(place, 'LENGTH', `is too long: at most ${builder.maxRows} rows can be created at once.`)
    return []
  }
  return rows.map((row, index) => planFields(row, by.to, by, 'create', builder, `${place}.${index}`, false))
}

type SettableField = StoredField | ReferenceField | LinksField

/** An update or a replace may name fields that it can't change (the id, times, `@immutable`), so that a client can write back what
 *  it read. The store rejects values that differ. The server itself may create a row with an id and times of its own: an
 *  import and a seed bring rows that existed before. */
function isSettable(
  field: Field,
  action: string,
  builder: PlanBuilder,
  path: string,
  isRoot: boolean,
): field is SettableField {
  switch (field.kind) {
    case 'many':
    case 'inverse': {
      const other = `${field.to.name}.${field.via.name}`
      const instead = field.kind === 'many' ? `, or change the list with ${listMember(field)}` : ''
      const why = isOwned(field)
        ? `can only be set by a create; write ${other}${instead}.`
        : `is the other side of ${other}; write that one${instead}.`
      builder.problem(path, 'READONLY', why)
      return false
    }
    case 'stored':
      if (action !== 'create') return true
      if (isRoot && builder.visibility.isSystem === true && field.auto !== 'SERVER') return true
      if (field.name === 'id') {
        builder.problem(path, 'READONLY', generatedId)
        return false
      }
      if (field.auto !== null) {
        builder.problem(path, 'READONLY', 'is set by the server.')
        return false
      }
      return true
    case 'reference': // the store checks a reference that is set to the viewer, once the viewer is known
    case 'links':
      return true
  }
}

const generatedId =
  'is generated by the server. A PUT to a path with an id chooses one; twain import --keep-ids and the seed keep those of rows that existed before.'

function checkRequired(
  of: Resource,
  by: ToManyField | null,
  sets: readonly SetMember[],
  action: string,
  builder: PlanBuilder,
  place: string,
): void {
  for (const field of of.fields.values()) {
    if (!isRequiredInput(field) || field === by?.via || sets.some((set) => set.field === field)) continue
    if (action === 'replace' && builder.visibility.maybeHidden(field)) continue // the store knows whether there is a value to keep
    builder.problem(place === '' ? field.name : `${place}.${field.name}`, 'REQUIRED', 'is required.')
  }
}

/** Whether a create must name the field. */
export function isRequiredInput(field: Field): boolean {
  // A token with the claim may leave it out. The store rejects a create of another one.
  if ('defaultClaim' in field) return false
  if (field.kind === 'stored') {
    return field.required && field.auto === null && field.default === undefined && field.name !== 'id'
  }
  // A viewer with an account may leave it out. The store rejects a create of a viewer without one.
  const isViewer = field.kind === 'reference' && (field.auto === 'VIEWER' || field.defaultsToViewer)
  return field.kind === 'reference' && field.required && field.default === undefined && !isViewer
}

function writableNames(of: Resource): string[] {
  return [...of.fields.values()]
    .filter((field) => (field.kind !== 'many' || isOwned(field)) && field.kind !== 'inverse' && field.name !== 'id')
    .map((field) => field.name)
}

const unreadFields = new WeakMap<Resource, Map<string, StoredField>>()

/** A password is no field of the account, and is never read. While a write is planned it is among the fields that are set. */
function passwordOf(account: Resource): StoredField {
  return unreadField(account, 'password')
}

/** `leaf` is null if the request has none. */
function currentPassword(account: Resource, leaf: unknown, path: string, builder: PlanBuilder): SetField {
  const parameter = builder.parameter({ kind: 'currentPassword' }, leaf, path)
  return { field: unreadField(account, 'currentPassword'), parameter }
}

function captchaOf(account: Resource): StoredField {
  return unreadField(account, captchaMember, { required: false, constraint: { minLength: 1, maxLength: 4096 } })
}

function unreadField(account: Resource, name: string, more: Partial<StoredField> = {}): StoredField {
  const known = unreadFields.get(account) ?? new Map<string, StoredField>()
  unreadFields.set(account, known)
  const field: StoredField = known.get(name) ?? {
    kind: 'stored',
    name,
    owner: account,
    description: null,
    deprecated: null,
    required: true,
    rules: [],
    place: account.place,
    type: { kind: 'scalar', name: 'String' },
    immutable: false,
    auto: null,
    constraint: null,
    ...more,
  }
  known.set(name, field)
  return field
}

export function isCurrentPassword(member: SetMember): member is SetField {
  return isSetField(member) && member.parameter.accepts.kind === 'currentPassword'
}

export function isPassword(member: SetMember): member is SetField {
  return isSetField(member) && member.parameter.accepts.kind === 'password'
}

/** Creates several rows in one transaction, from a REST array or a GraphQL list. Places begin with the number of the row.
 *  `answer` is selected of each row; `place` is that of the list. `places` are those of the rows, if not their numbers. */
export function planCreates(
  inputs: readonly unknown[],
  of: Resource,
  answer: Selection[],
  builder: PlanBuilder,
  place: string,
  maxRows: number,
  places?: readonly string[],
): WriteBatch {
  expectRows(inputs.length, builder, place, maxRows)
  const create = (set: SetMember[]): WritePlan => {
    return { kind: 'write', action: 'create', of, id: null, set, ifVersion: null, answer }
  }
  return {
    kind: 'batch',
    writes: inputs.map((input, index) =>
      create(planInput(input, of, 'create', builder, places?.[index] ?? String(index), false)),
    ),
    ...(places && { places }),
  }
}

/** The rows of a list are limited by `limits.bulk`; 0: any number. Rows inside them count for `limits.transaction`. */
export function expectRows(count: number, builder: PlanBuilder, place: string, maxRows: number): void {
  if (count === 0 && builder.problems.length === 0) builder.problem(place, 'LENGTH', 'must have at least one row.')
  if (maxRows === 0 || count <= maxRows) return
  throw new ApiError('PAYLOAD_TOO_LARGE', `The list has ${count} rows; at most ${maxRows} can be created at once.`, {
    hint: 'Prefer: handling=lenient (REST) and createEach… (GraphQL) write any number in portions. The setting limits.bulk sets the limit.',
  })
}

const canonicalDefaults = new WeakMap<StoredField, unknown>()

/** The value of a field that a create leaves out, in canonical form: the schema file may write a time with an offset, or a value without all members. Null: no default. */
export function defaultValue(field: StoredField): unknown {
  if (field.default === undefined || field.default === null) return null
  if (!canonicalDefaults.has(field))
    canonicalDefaults.set(field, checkValue(field.type, field.default satisfies Json, field.name, []))
  return canonicalDefaults.get(field)
}
