// What a write of a row may do with the rows of its lists: `_tags: {connect, disconnect, create, update, delete}`.

import { incrementMember } from './countable-fields.ts'
import { isFile } from './members-of.ts'
import type { Field, LinksField, Resource, ToManyField } from './model.ts'

export type ListWrite = 'disconnect' | 'delete' | 'connect' | 'update' | 'create'

export type ListField = ToManyField | LinksField

/** In the order in which Twain makes them (docs/reference/rest.md, R59). */
export const listWrites: readonly ListWrite[] = ['disconnect', 'delete', 'connect', 'update', 'create']

/** The member of an input that changes the list. */
export function listMember({ name }: { name: string }): string {
  return `_${name}`
}

export function isList(field: Field): field is ListField {
  return field.kind === 'many' || field.kind === 'links'
}

/** The list that a member of an input means; undefined if there is none. No field of a schema begins with `_`. */
export function listOfMember(member: string, { fields, system }: Resource): ListField | undefined {
  if (system !== undefined) return undefined // its rows are written one by one
  if (!member.startsWith('_') || member === incrementMember) return undefined
  const field = fields.get(member.slice(1))
  return field !== undefined && isList(field) ? field : undefined
}

/** The lists that a create or an update of their row can change, each with what it can do. */
export function changeableLists(
  of: Resource,
  action: 'create' | 'update',
): { field: ListField; writes: ListWrite[] }[] {
  return [...of.fields.values()]
    .filter(isList)
    .filter((field) => listOfMember(listMember(field), of) === field)
    .map((field) => ({ field, writes: listWrites.filter((write) => whyNot(write, field, action) === null) }))
    .filter(({ writes }) => writes.length > 0)
}

/** Why this can't be done with rows of the list; null: it can. */
export function whyNot(write: ListWrite, field: ListField, action: 'create' | 'update'): string | null {
  if (action === 'create' && write !== 'connect' && write !== 'create') {
    return 'is for a row that exists: the list of a new row is empty.'
  }
  return whyNotRows(write, field) ?? (field.kind === 'many' ? whyNotReferring(write, field) : null)
}

/** The rows of an interface or union, and files, are only linked. */
function whyNotRows(write: ListWrite, { to, owner }: ListField): string | null {
  if (owner.system !== undefined) return 'is not for rows of the server itself.'
  if (write === 'connect' || write === 'disconnect') return null
  if (isFile(to)) return 'is not for files: upload a file, and connect it.'
  if (to.kind === 'abstract') return `is not for a list of several types: write the ${to.name} on its own.`
  const isAccount = [...to.fields.values()].some((one) => one.kind === 'stored' && one.isLogin === true)
  return write === 'create' && isAccount ? `is not for accounts: create the ${to.name} on its own.` : null
}

function whyNotReferring(write: ListWrite, { to, via, owner }: ToManyField): string | null {
  const back = `${to.name}.${via.name}`
  if (write === 'update' || write === 'delete') return null
  if (via.auto !== null) return `is not for this list: the server sets ${back}.`
  if (write === 'create') return null
  if (via.immutable) return `is not for this list: ${back} never changes.`
  if (write === 'disconnect' && via.required) {
    return `is not for this list: ${back} is required. Delete the ${to.name}, or connect it to another ${owner.name}.`
  }
  return null
}

/** The input types of GraphQL. On a create a list has fewer writes. */
export function listInput({ owner, name }: ListField, action: 'create' | 'update'): string {
  return `${action === 'create' ? 'Add' : 'Change'}${owner.name}${name.charAt(0).toUpperCase()}${name.slice(1)}Input`
}

/** The input type of a row that is updated along with the row that has it in a list. */
export function changedRowInput({ name }: Resource): string {
  return `Update${name}ByIdInput`
}

/** Whether rows of this type are updated along with a row that has them in a list. */
export function isChangedInLists(of: Resource, resources: readonly Resource[]): boolean {
  let changed = changedInLists.get(resources)
  if (changed === undefined) {
    changed = new Set(resources.flatMap(updatedRows))
    changedInLists.set(resources, changed)
  }
  return changed.has(of)
}

/** By the resources of a model: each of them asks, and the answer needs the lists of all. */
const changedInLists = new WeakMap<readonly Resource[], ReadonlySet<ListField['to']>>()

function updatedRows(owner: Resource): ListField['to'][] {
  return changeableLists(owner, 'update').flatMap(({ field, writes }) => (writes.includes('update') ? [field.to] : []))
}

/** Whether rows can be created in this list along with the row that has it. They need no reference back. */
export function takesNewRows(field: Field): field is ToManyField {
  return field.kind === 'many' && whyNot('create', field, 'create') === null
}
